import { counter, gauge, type Metric } from './metric.ts'

/** By kind: how many this process has logged, and how many are open on all nodes. */
export type AlertMeasures = { kind: string; logged: number; open: number }[]

export function alertMetrics(measures: AlertMeasures): Metric[] {
  return [
    counter(
      'partner_credit_alerts_total',
      'Alerts that this process was the first to see, and logged, by kind.',
      measures.map(({ kind, logged: value }) => ({ labels: { kind }, value })),
    ),
    gauge(
      'partner_credit_alerts_open',
      'Alerts that are open on this ledger, by kind.',
      measures.map(({ kind, open: value }) => ({ labels: { kind }, value })),
      'max',
    ),
  ]
}
