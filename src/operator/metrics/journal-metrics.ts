import type { JournalMeasures } from '../../journal/journal.ts'
import { counter, type Metric } from './metric.ts'

export function journalMetrics({ dropped, failedWrites }: JournalMeasures): Metric[] {
  return [
    counter(
      'partner_credit_journal_failed_writes_total',
      'Attempts to write the journal that failed. They are repeated.',
      [{ value: failedWrites }],
    ),
    counter(
      'partner_credit_journal_dropped_total',
      'Responses that the journal has not counted, and refusals that it has not kept, because it could not be written.',
      [
        { labels: { kind: 'responses' }, value: dropped.responses },
        { labels: { kind: 'refusals' }, value: dropped.refusals },
      ],
    ),
  ]
}
