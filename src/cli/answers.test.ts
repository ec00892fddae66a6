import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  aFolder,
  type CommandResult,
  complaintOf,
  database,
  documentOf,
  textOf,
} from '../../test/support/command-line.ts'
import { anOrder } from '../../test/support/sqlite-ledger.ts'
import { systemClock } from '../clock.ts'
import { setPartnerCaps } from '../partners/set-partner-caps.ts'
import { dayText, vietnamDay } from '../rules/vietnam-day.ts'
import { displayWidth } from '../terminal/display-width.ts'
import { serveSqlite } from '../stores/sqlite/open.ts'

const dayMs = 86_400_000
const longOrder = 'order-with-a-very-long-name-that-no-terminal-has-room-for/2026/11/16/000000000001'
const note = 'Cảm ơn quý khách đã mua hàng, hẹn gặp lại quý khách 🎉 trong lần mua sắm tiếp theo'

/** Two days of awards by acme, the first of them yesterday. */
async function aLedgerWithAwards(t: TestContext) {
  const folder = await aFolder(t)
  let now = systemClock.now() - dayMs
  const clock = { now: () => now, elapsed: systemClock.elapsed }
  const { operator } = folder
  await setPartnerCaps(
    { ...operator, actor: 'mai', reason: 'ticket 7', now: now - 1 },
    'acme',
    { perTx: 500, perPartnerDay: 1000 },
    undefined,
  )
  const store = await serveSqlite(join(folder.cwd, database), { caps: {}, clock })
  for (const amount of [300_999, 400_000, 200_000])
    await store.ledger.award(anOrder(`order-${amount}`, { amount, userEmail: 'ann@example.com', note }))
  now += dayMs
  await store.ledger.award(anOrder(longOrder, { amount: 12_000_000, tenantId: 't2' })) // refused
  await store.ledger.award(anOrder(longOrder, { amount: 123_456, userEmail: 'ann@example.com' }))
  await store.ledger.close()
  await store.close()
  return folder
}

function fits(result: CommandResult, exitCode = 0): string {
  assert.equal(result.code, exitCode, result.stderr)
  for (const line of result.stdout.split('\n')) assert.ok(displayWidth(line) <= 80, line)
  return result.stdout
}

test('every answer fits 80 columns, is one JSON document with --json, and has an exit code for scripts', async (t) => {
  const { run, json } = await aLedgerWithAwards(t)
  const today = dayText(vietnamDay(systemClock.now()))

  const usage = fits(await run('usage', '--day', 'yesterday'))
  assert.match(usage, /^acme +t1 +3 +900 +1,000 +█{14}░░ +90 %$/m)
  assert.match(usage, /^ann@example\.com +900 +20,000 +░{16} +4 %$/m)
  const ofToday = await json('usage', '--partner', 'acme')
  assert.deepEqual([ofToday.day, ofToday.accounts.length, ofToday.accounts[0].points], [today, 2, 123])

  const user = fits(await run('user', 'Ann@example.com', '--tenant', 't1'))
  assert.match(user, /^ann@example\.com: 1,023 EP in t1$/m)
  assert.match(
    user,
    new RegExp(`^today, ${today}: 123 of 20,000 EP \\(0 %\\) of perUserDay \\(default\\)$`, 'm'),
  )
  assert.equal((await json('user', 'ann@example.com', '--tenant', 't1')).awards[0].orderId, longOrder)
  assert.match(fits(await run('user', 'bob@example.com', '--tenant', 't1'), 3), /has no EP in t1/)

  const explained = fits(await run('explain', 'order-300999', '--partner', 'acme'))
  assert.match(explained, /^Arithmetic: 300,999 ÷ 1,000 = 300 EP, remainder 999$/m)
  assert.match(explained, /^perTx +500 +300 +mai at \S+Z, partner$/m)
  assert.match(explained, /^perPartnerDay +1,000 +0 +300 /m)
  assert.match(explained, /^perUserDay +20,000 +0 +300 +serve at \S+Z,$/m)
  assert.match(explained, /^Chain: entry 1 of 4 in acme\/t1$/m)
  assert.equal((await json('explain', longOrder, '--partner', 'acme')).arithmetic.remainder, 456)
  const never = await run('explain', 'never', '--partner', 'acme', '--json')
  assert.deepEqual([never.code, JSON.parse(never.stdout).credited], [3, false])
  assert.match(fits(await run('explain', 'never', '--partner', 'acme'), 3), /is not in the ledger/)

  const report = fits(await run('report', '--from', 'yesterday', '--to', 'today'))
  assert.match(report, /^total +4 +1,023 +1,024,455 +1,455 /m)
  assert.equal((await json('report', '--from', 'yesterday', '--to', 'today')).total.points, 1023)
  const csv = textOf(await run('report', '--from', 'yesterday', '--to', 'today', '--by', 'day', '--csv'))
  const [headings, ...lines] = csv.trimEnd().split('\n')
  assert.match(
    headings!,
    /^day,awards,points,rawAmount,remainder,refusals,refusedPoints,refusals_INVALID_REQUEST,/,
  )
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, new RegExp(`^${today},1,123,123456,456,0,0,`))

  const audit = fits(await run('audit', '--partner', 'acme'))
  assert.match(
    audit,
    /partner caps: partner acme\n {2}by mai .*\n {2}reason: ticket 7\n {2}perTx: not set → 500$/m,
  )
  assert.equal((await json('audit', '--limit', '1')).changes.length, 1)
  assert.match(fits(await run('audit', '--since', '0'), 3), /no changes/)

  const tried = fits(await run('caps', 'try', '--partner', 'acme', '--per-partner-day', '600'), 3)
  assert.match(tried, /^1 award with 400 EP would have been refused\.$/m)
  assert.match(tried, /^At least 0 refused orders/m)
  const fine = await json('caps', 'try', '--partner', 'acme', '--per-partner-day', '900', '--days', '2')
  assert.deepEqual(fine.refused, { awards: 0, points: 0 })

  const show = fits(await run('partner', 'show', 'acme'))
  assert.match(show, /^t1 +500 \(everywhere\) +1000 \(everywhere\) +20000 \(default\)$/m)
  assert.match(show, /^perTx +500 +acme +mai +\S+ +ticket 7$/m)
})

test('bad input gets a clear error: the nearest partner or tenant, the format of a day', async (t) => {
  const { run } = await aFolder(t)
  const wrong: [args: string[], code: number, message: RegExp][] = [
    [['usage', '--partner', 'acmee'], 1, /no partner "acmee" \(did you mean "acme"\?\)/],
    [['usage', '--tenant', 'tt1'], 1, /no tenant "tt1" \(did you mean "t1"\?\)/],
    [['usage', '--day', '16.11.2026'], 2, /must be a day such as 2026-11-16/],
    [['user', 'ann', '--tenant', 't1'], 1, /"ann" is not an address: it must have the form name@domain/],
    [['user', 'ann@example.com'], 2, /required option '--tenant <tenant>'/],
    [['explain', 'A1', '--partner', 'amce'], 1, /did you mean "acme"/],
    [['explain', 'A1', '--partner', 'acme', '--amount', '5.5'], 2, /must be a whole amount/],
    [['report', '--from', '2026-11-31', '--to', 'today'], 2, /must be a day such as 2026-11-16/],
    [['report', '--from', 'today', '--to', 'yesterday'], 1, /the period ends before it begins/],
    [['report', '--from', 'today', '--to', 'today', '--by', 'week'], 2, /a list of partner, tenant and day/],
    [['report', '--from', 'today', '--to', 'today', '--csv', '--json'], 2, /--csv or --json, not both/],
    [['audit', '--since', 'monday'], 2, /a duration such as 90s, 30m, 24h or 7d, a day such as 2026-11-16/],
    [['audit', '--partner', 'ACME'], 1, /did you mean "acme"/],
    [['caps', 'try', '--partner', 'acme', '--per-partner-day', 'lots'], 2, /must be whole EP/],
    [['caps', 'try', '--partner', 'acme', '--per-partner-day', '5', '--days', '0'], 2, /must be 1 to 366/],
    [['partner', 'show', 'acne'], 1, /did you mean "acme"/],
    [['key', 'list', 'acne'], 1, /did you mean "acme"/],
  ]
  const results = await Promise.all(wrong.map(([args]) => run(...args)))
  for (const [index, [args, code, message]] of wrong.entries())
    assert.match(complaintOf(results[index]!, code), message, args.join(' '))
})

test('a terminal does not obey what a note or an order says', async (t) => {
  const { cwd, run } = await aFolder(t)
  const store = await serveSqlite(join(cwd, database), { caps: {}, clock: systemClock })
  const order = anOrder('a\u202eb', { amount: 5000, userEmail: 'ann@example.com', note: 'x\n\ty\u2028z' })
  await store.ledger.award(order)
  await store.ledger.close()
  await store.close()
  for (const args of [
    ['user', 'ann@example.com', '--tenant', 't1'],
    ['explain', 'a\u202eb', '--partner', 'acme'],
  ]) {
    const { stdout } = await run(...args)
    assert.match(stdout, /a\\u\{202e\}b/)
    assert.doesNotMatch(stdout, /[\u202e\u2028\t]/)
  }
  const document = documentOf(await run('user', 'ann@example.com', '--tenant', 't1', '--json'))
  assert.equal(document.awards[0].note, order.note)
})
