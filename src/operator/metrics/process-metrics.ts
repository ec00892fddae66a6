import type { HistogramReading } from '../../histogram.ts'
import { counter, gauge, histogram, type Metric } from './metric.ts'

export function processMetrics(loopDelay: HistogramReading): Metric[] {
  const { user, system } = process.cpuUsage()
  return [
    histogram(
      'partner_credit_event_loop_delay_seconds',
      'How late the event loop is.',
      [{ reading: loopDelay }],
      1_000,
    ),
    gauge('partner_credit_processes', 'Server processes that are counted here.', [{ value: 1 }]),
    gauge('process_resident_memory_bytes', 'Resident memory.', [{ value: process.memoryUsage.rss() }]),
    counter('process_cpu_seconds_total', 'CPU time.', [{ value: (user + system) / 1_000_000 }]),
  ]
}
