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
 * Sends the orders that are certainly missing, one after the other, and returns their number. What is similar to an award or
 * to another row, or what may be the text of a spreadsheet cell, is never sent: under another spelling it would be
 * credited twice. Messages go to standard error: standard output has the report.
 */
export async function resend({
  reconciliation,
  tenantId,
  credit,
  stderr,
  isConfirmed,
}: Sending): Promise<number> {
  const say = (text: string) => void stderr.write(text)
  const { sure, doubtful } = await showPlan(reconciliation, tenantId, stderr)
  if (sure === 0) {
    say(`Nothing is sent: ${doubtful === 0 ? 'no order is missing' : 'no order is certainly missing'}.\n`)
    return 0
  }
  if (!(await isConfirmed())) {
    say('Nothing was sent.\n')
    return 0
  }
  const bar = progressBar(stderr, 'resend')
  const result = { credited: 0, points: 0, known: 0, refused: 0 }
  try {
    for (const { order } of certainlyMissing(reconciliation)) {
      bar.show((result.credited + result.refused) / sure, `${result.credited} sent`)
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

type SureOrder = Order & { orderId: string; userEmail: string; amount: number }

function* certainlyMissing({ findings }: Reconciliation): Generator<{ order: SureOrder }, void, undefined> {
  for (const finding of findings()) if (isSure(finding)) yield finding
}

function isSure(finding: Finding): finding is Finding & { order: SureOrder } {
  const { order } = finding
  const isWhole =
    order !== null && order.orderId !== null && order.userEmail !== null && order.amount !== null
  return finding.finding === 'missing' && finding.doubt === null && isWhole
}

async function showPlan(reconciliation: Reconciliation, tenantId: string, stderr: Output) {
  const sure = { count: 0, points: 0, rows: [] as string[][] }
  const doubtful = { count: 0, rows: [] as string[][] }
  let similar = 0
  for (const finding of reconciliation.findings()) {
    if (finding.finding === 'similar') similar++
    if (finding.finding !== 'missing') continue
    if (isSure(finding)) {
      const { line, orderId, userEmail, amount, points } = finding.order
      sure.count++
      sure.points += points
      if (sure.rows.length < shownMax) {
        sure.rows.push([String(line), orderId, userEmail, String(amount), String(points)])
      }
    } else {
      doubtful.count++
      const { order, orderId, doubt } = finding
      if (doubtful.rows.length < shownMax) doubtful.rows.push([String(order?.line), orderId!, doubt ?? ''])
    }
  }
  const figure = (n: number) => n.toLocaleString('en-US')
  const orders = (n: number) => `${figure(n)} missing ${n === 1 ? 'order' : 'orders'}`
  const write = async (text: string) => void stderr.write(text)
  if (doubtful.count > 0) {
    await write(`\nNot sent until somebody has looked at it, ${orders(doubtful.count)}:\n`)
    await writeTable(['line', 'order', 'why'], doubtful.rows, { write, isBold: false })
    if (doubtful.count > shownMax) await write(`… and ${figure(doubtful.count - shownMax)} more\n`)
  }
  if (similar > 0)
    await write(`\nNot sent, similar to another order: ${figure(similar)}. The report names them.\n`)
  if (similar + doubtful.count > 0) {
    const command = `partner-credit-cli award --tenant ${tenantId} --order … --email … --amount …`
    await write(`If one is an order of its own, send it by itself: ${command}\n`)
  }
  if (sure.count > 0) {
    await write(`\nTo be sent, ${orders(sure.count)}, ${figure(sure.points)} EP in the tenant ${tenantId}:\n`)
    await writeTable(['line', 'order', 'e-mail', 'amount', 'EP'], sure.rows, { write, isBold: false })
    if (sure.count > shownMax) await write(`… and ${figure(sure.count - shownMax)} more\n`)
  }
  return { sure: sure.count, doubtful: doubtful.count }
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

function inWords({ credited, points, known, refused }: Record<string, number>): string {
  const figure = (n = 0) => n.toLocaleString('en-US')
  const parts = [`Sent ${figure(credited)}: ${figure(points)} EP credited`]
  if (known! > 0) parts.push(`${figure(known)} had been credited meanwhile`)
  if (refused! > 0) parts.push(`${figure(refused)} refused`)
  return `${parts.join('; ')}.`
}
