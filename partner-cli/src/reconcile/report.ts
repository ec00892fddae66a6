import type { Format } from '../arguments.ts'
import { csvLine } from '../csv/csv-line.ts'
import { writeTable } from '../table.ts'
import type { Finding } from './finding.ts'
import type { Reconciliation } from './reconcile-lists.ts'
import { differences, type Total, type Totals } from './totals.ts'

type Writing = { write: (text: string) => Promise<void>; isBold: boolean }

/** Every finding, one at a time; there may be a million. */
export const writeReport: Record<
  Format,
  (reconciliation: Reconciliation, about: Record<string, unknown>, writing: Writing) => Promise<void>
> = {
  async table({ totals, findings }, _, { write, isBold }) {
    const rows = function* () {
      for (const finding of findings()) yield tableRow(finding)
    }
    await writeTable(['finding', 'line', 'order', 'detail'], rows(), { write, isBold })
    await write(`${differences(totals) > 0 ? '\n' : ''}${summary(totals)}`)
  },
  async csv({ findings }, _, { write }) {
    await write(csvLine(csvColumns))
    for (const finding of findings()) await write(csvLine(csvRow(finding)))
  },
  async json({ totals, findings }, about, { write }) {
    const head = JSON.stringify({ ...about, differences: differences(totals), totals }, null, 2)
    await write(`${head.slice(0, -2)},\n  "findings": [`)
    let separator = '\n'
    for (const finding of findings()) {
      await write(`${separator}    ${JSON.stringify(jsonOf(finding))}`)
      separator = ',\n'
    }
    await write(separator === '\n' ? ']\n}\n' : '\n  ]\n}\n')
  },
}

/** A line for every total that says something. */
export function summary(totals: Totals): string {
  const rows: [string, Total, string][] = [
    ['matched', totals.matched, 'listed and credited alike'],
    ['missing', totals.missing, 'listed, not credited'],
    ['extra', totals.extra, 'credited, not listed'],
    ['different', totals.different, 'credited, but not as listed'],
    [
      'similar',
      totals.similar,
      'rows whose order is credited or listed in another spelling: look before you send',
    ],
    ['repeated', totals.repeated, 'rows whose order is in the list before'],
    ['unreadable', totals.unreadable, 'rows that were not compared'],
    ['below minimum', totals.belowMinimum, 'listed with an amount that gives no EP'],
    ['outside range', totals.outsideRange, 'not listed, awarded outside --from and --to'],
    ['unreadable order', totals.unreadableOrder, 'credited to the order of an unreadable row'],
    ['similar order', totals.similarOrder, 'credited to an order that is listed in another spelling only'],
  ]
  const shown = rows.filter(([, { count }], index) => index < 4 || count > 0)
  const figure = (n: number) => n.toLocaleString('en-US')
  const nameWidth = Math.max(...shown.map(([name]) => name.length))
  const countWidth = Math.max(...shown.map(([, { count }]) => figure(count).length))
  const pointsWidth = Math.max(...shown.map(([, { points }]) => figure(points).length))
  const { orders, awards } = totals
  const lines = shown.map(
    ([name, { count, points }, meaning]) =>
      `${name.padEnd(nameWidth)}  ${figure(count).padStart(countWidth)}  ${figure(points).padStart(pointsWidth)} EP  ${meaning}`,
  )
  return [
    ...lines,
    `Compared ${rowsOf(orders.count)} (${figure(orders.points)} EP) with ${awardsOf(awards.count)} (${figure(awards.points)} EP): ${verdict(totals)}.`,
    '',
  ].join('\n')

  function rowsOf(n: number): string {
    return `${figure(n)} ${n === 1 ? 'row' : 'rows'}`
  }
  function awardsOf(n: number): string {
    return `${figure(n)} ${n === 1 ? 'award' : 'awards'}`
  }
}

function verdict(totals: Totals): string {
  const n = differences(totals)
  return n === 0 ? 'no difference' : `${n.toLocaleString('en-US')} ${n === 1 ? 'difference' : 'differences'}`
}

function tableRow({ finding, orderId, order, detail, doubt }: Finding): string[] {
  const explanation = doubt === null ? detail : `${detail}; ${doubt}`
  return [finding, order === null ? '' : String(order.line), orderId ?? '', explanation]
}

const csvColumns = [
  'finding',
  'line',
  'orderId',
  'listedEmail',
  'creditedEmail',
  'listedPoints',
  'creditedPoints',
  'awardedAt',
  'epTransactionId',
  'detail',
  'doubt',
]

function csvRow({ finding, orderId, order, award, detail, doubt }: Finding) {
  const listed = order !== null && order.problem === null ? order : null
  return [
    finding,
    order?.line ?? null,
    orderId,
    listed?.userEmail ?? null,
    award?.userEmail ?? null,
    listed?.points ?? null,
    award?.points ?? null,
    award?.awardedAt ?? null,
    award?.epTransactionId ?? null,
    detail,
    doubt,
  ]
}

function jsonOf({ finding, orderId, order, award, detail, doubt }: Finding) {
  const listed =
    order !== null && order.problem === null ? { userEmail: order.userEmail, points: order.points } : null
  const credited =
    award === null
      ? null
      : {
          userEmail: award.userEmail,
          points: award.points,
          awardedAt: award.awardedAt,
          epTransactionId: award.epTransactionId,
        }
  return { finding, line: order?.line ?? null, orderId, listed, credited, detail, doubt }
}
