import { type PartnerCredit, PartnerCreditError } from '../../../sdk/src/index.ts'
import { terminalSafe } from '../../../src/terminal/safe-text.ts'
import { progressBar } from '../progress.ts'
import type { Output } from '../surroundings.ts'
import { writeTable } from '../table.ts'
import type { Finding, Order } from './finding.ts'
import type { Reconciliation } from './reconcile-lists.ts'

type Sending = {
  reconciliation: Reconciliation
  tenantId: string
  credit: PartnerCredit
  stderr: Output
  /** Asked after the orders to send were shown. */
  isConfirmed: () => Promise<boolean>
}

/** Of a longer list only the first are shown; the report has them all. */
const shownMax = 50

/**
 * Sends the missing orders, one after the other, and returns their number. It sends none while any order of the list is in
 * doubt. That order may be credited already, under another orderId; and what changed its orderId may have changed those
 * of the missing ones, which the shop's own retry would credit once more. Messages go to standard error: standard output
 * has the report.
 */
export async function resend({
  reconciliation,
  tenantId,
  credit,
  stderr,
  isConfirmed,
}: Sending): Promise<number> {
  const say = (text: string) => void stderr.write(text)
  if (await showDoubts(reconciliation, tenantId, stderr)) return 0
  const count = await showPlan(reconciliation, tenantId, stderr)
  if (count === 0) {
    say('Nothing is sent: no order is missing.\n')
    return 0
  }
  if (!(await isConfirmed())) {
    say('Nothing was sent.\n')
    return 0
  }
  const bar = progressBar(stderr, 'resend')
  const result: Result = { credited: 0, points: 0, known: 0, refused: 0 }
  try {
    for (const { order } of missingOrders(reconciliation)) {
      bar.show((result.credited + result.refused) / count, `${result.credited} sent`)
      const { orderId, userEmail, amount } = order
      try {
        const award = await credit.award({ tenantId, orderId, userEmail, amount })
        result.credited++
        result.points += award.duplicate ? 0 : award.points
        result.known += award.duplicate ? 1 : 0
      } catch (error) {
        if (!isOfOneOrder(error)) throw error
        bar.end()
        result.refused++
        say(`line ${order.line}, ${terminalSafe(orderId)}: ${terminalSafe(error.message)}\n`)
      }
    }
  } catch (error) {
    bar.end()
    say('Stopped here. Run the same command again later: it sends only what is still missing.\n')
    throw error
  } finally {
    bar.end()
    say(`${inWords(result)}\n`)
  }
  return result.credited
}

type WholeOrder = Order & { orderId: string; userEmail: string; amount: number }

function* missingOrders({ findings }: Reconciliation): Generator<{ order: WholeOrder }, void, undefined> {
  for (const finding of findings()) if (isToBeSent(finding)) yield finding
}

function isToBeSent(finding: Finding): finding is Finding & { order: WholeOrder } {
  const { order } = finding
  const isWhole =
    order !== null && order.orderId !== null && order.userEmail !== null && order.amount !== null
  return finding.finding === 'missing' && finding.doubt === null && isWhole
}

/** Returns whether there are any. */
async function showDoubts({ findings }: Reconciliation, tenantId: string, stderr: Output): Promise<boolean> {
  let count = 0
  const rows: string[][] = []
  for (const { finding, order, orderId, doubt, detail } of findings()) {
    const why = finding === 'similar' ? detail : doubt
    if (why === null) continue
    count++
    if (rows.length < shownMax) rows.push([String(order!.line), orderId!, why])
  }
  if (count === 0) return false
  const award = `partner-credit-cli award --tenant ${tenantId} --order … --email … --amount …`
  await showOrders(stderr, {
    title: `In doubt, ${ordersOf(count)}`,
    header: ['line', 'order', 'why'],
    rows,
    count,
  })
  stderr.write(
    [
      'Nothing is sent while an order is in doubt: what changed its orderId may have changed others.',
      'Export the list again, or correct these rows. If one is an order of its own, send it by itself:',
      award,
      'Then run the same command again.',
      '',
    ].join('\n'),
  )
  return true
}

/** Returns how many there are. */
async function showPlan(reconciliation: Reconciliation, tenantId: string, stderr: Output): Promise<number> {
  let count = 0
  let sum = 0
  const rows: string[][] = []
  for (const { order } of missingOrders(reconciliation)) {
    const { line, orderId, userEmail, amount, points } = order
    count++
    sum += points
    if (rows.length < shownMax) rows.push([String(line), orderId, userEmail, String(amount), String(points)])
  }
  if (count === 0) return 0
  await showOrders(stderr, {
    title: `To be sent, ${ordersOf(count, 'missing ')}, ${figure(sum)} EP in the tenant ${tenantId}`,
    header: ['line', 'order', 'e-mail', 'amount', 'EP'],
    rows,
    count,
  })
  return count
}

type Shown = { title: string; header: string[]; rows: string[][]; count: number }

async function showOrders(stderr: Output, { title, header, rows, count }: Shown): Promise<void> {
  const write = async (text: string) => void stderr.write(text)
  await write(`\n${title}:\n`)
  await writeTable(header, rows, { write, isBold: false })
  if (count > rows.length) await write(`… and ${figure(count - rows.length)} more\n`)
}

function ordersOf(count: number, which = ''): string {
  return `${figure(count)} ${which}${count === 1 ? 'order' : 'orders'}`
}

function figure(n: number): string {
  return n.toLocaleString('en-US')
}

/** Errors that refuse one order only. Others would fail every order that follows, too, or leave open if it was credited. */
function isOfOneOrder(error: unknown): error is PartnerCreditError {
  if (!(error instanceof PartnerCreditError) || error.mayBeCredited) return false
  const codes = [
    'INVALID_ARGUMENT',
    'INVALID_REQUEST',
    'ORDER_ID_CONFLICT',
    'AMOUNT_BELOW_MIN',
    'PER_TX_CAP_EXCEEDED',
  ]
  if (codes.includes(error.code)) return !error.retryable
  return error.code === 'DAILY_CAP_EXCEEDED' && 'cap' in error && error.cap === 'perUserDay'
}

type Result = Record<'credited' | 'points' | 'known' | 'refused', number>

function inWords({ credited, points, known, refused }: Result): string {
  const parts = [`Sent ${figure(credited)}: ${figure(points)} EP credited`]
  if (known > 0) parts.push(`${figure(known)} had been credited meanwhile`)
  if (refused > 0) parts.push(`${figure(refused)} refused`)
  return `${parts.join('; ')}.`
}
