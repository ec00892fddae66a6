import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFaultyProxy } from '../../sdk/test/faulty-proxy.ts'
import { anOrder, startLive } from '../../sdk/test/live-service.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { environmentOf, runCommand } from './command-line.ts'

const header = 'order,email,amount'
/** Where more orders are credited as listed than in doubt, the others are sent. */
const asListed = Array.from({ length: 10 }, (_, number) => `ok-${number}`)

/** A service with some credited orders, and the command that reconciles a list with them. */
async function prepared(
  t: TestContext,
  credited: string[],
  list: string[],
  user: { userEmail?: string } = {},
) {
  const live = await startLive(t)
  for (const orderId of credited) await live.credit.award(anOrder({ orderId, amount: 5000, ...user }))
  const path = join(temporaryFolder(t), 'orders.csv')
  writeFileSync(path, [header, ...list].join('\n'))
  const reconcile = (
    options: string[],
    { answer, url }: { answer?: string | (() => string); url?: string } = {},
  ) =>
    runCommand(
      ['reconcile', path, '--tenant', 't1', ...options, ...(url === undefined ? [] : ['--url', url])],
      {
        environment: environmentOf(live),
        ...(answer === undefined ? {} : { answer }),
      },
    )
  /** Those that the test did not credit itself. */
  const sent = async () => {
    const awards = await Array.fromAsync(live.credit.awards({ tenantId: 't1' }))
    return awards
      .filter(({ orderId }) => !credited.includes(orderId!))
      .map(({ orderId, userEmail, points }) => `${orderId} ${userEmail} ${points}`)
      .toReversed()
  }
  return { live, reconcile, sent }
}

describe('reconcile --resend', () => {
  test('sends what is certainly missing and nothing else, after showing it and asking', async (t) => {
    const list = [
      'R-490,ann@example.com,5000', // 2: credited as R-00490
      'm-1,ann@example.com,5250', // 3: certainly missing
      '1.23457E+11,ann@example.com,5000', // 4: shortened
      '98765432109876500,ann@example.com,5000', // 5: may be shortened
      ' m-2 ,ann@example.com,5000', // 6: white space
      'm-3,ann@example.com,5000', // 7: and again with another amount
      'm-3,ann@example.com,6000', // 8
      'm-4,ann@example.com,5000', // 9: and again, unreadable
      'm-4,ann@example.com,many', // 10
      'm-5,ann@example.com,5000', // 11: and again in another spelling
      'M-05,ann@example.com,5000', // 12
      'm-6,ann@example.com,999', // 13: gives no EP
      'm-7,Bob@example.com,2000', // 14: certainly missing, listed twice alike
      'm-7,Bob@example.com,2000', // 15
      'm–8,ann@example.com,5000', // 16: a dash that a word processor made
      "'00123,ann@example.com,5000", // 17: an apostrophe of a spreadsheet
      '"490,123",ann@example.com,5000', // 18: credited as 490123
      '"77.001,00",ann@example.com,5000', // 19: a number as a spreadsheet shows it
      '2-Jan,ann@example.com,5000', // 20: credited as 1-2, which a spreadsheet takes for a date
      '3/4/2026,ann@example.com,5000', // 21: credited as 3-4
      '2026-05-06,ann@example.com,5000', // 22
      '#NAME?,ann@example.com,5000', // 23: credited as =A1
      '########,ann@example.com,5000', // 24: the column was too narrow
      '1234567890123456800,ann@example.com,5000', // 25: credited as 1234567890123456789, which JavaScript rounds
    ]
    const credited = ['R-00490', '490123', '1-2', '3-4', '=A1', '1234567890123456789']
    const { reconcile, sent } = await prepared(t, credited, list)
    const { code, stdout, stderr } = await reconcile(['--resend'], { answer: 'y' })
    deepEqual(await sent(), ['m-1 ann@example.com 5', 'm-7 bob@example.com 2'])
    equal(code, 1, 'the other rows still differ')
    match(stdout, /^missing +3 +m-1 /m)
    const plan = stderr.slice(0, stderr.indexOf('Send them? [y/N] y'))
    match(plan, /To be sent, 2 missing orders, 7 EP in the tenant t1:\nline +order +e-mail +amount +EP\n/)
    match(plan, /^3 +m-1 +ann@example\.com +5250 +5$/m)
    match(plan, /^14 +m-7 +bob@example\.com +2000 +2$/m)
    match(plan, /Not sent until somebody has looked at it, 14 missing orders:/)
    match(plan, /^5 +98765432109876500 +a spreadsheet may have shortened this number$/m)
    match(plan, /^25 +1234567890123456800 +a program may have rounded this number$/m)
    match(plan, /^6 +" m-2 " +its spelling has signs/m)
    match(plan, /^7 +m-3 +line 8 lists it with other values$/m)
    match(plan, /^9 +m-4 +line 10 lists it, too, and cannot be read$/m)
    match(plan, /^20 +2-Jan +a spreadsheet may have made this date, or this error, of another text$/m)
    match(plan, /^11 +m-5 +line 12 lists it as M-05$/m)
    doesNotMatch(plan, /R-490|1\.23457E\+11|M-05 +ann|m-6/)
    match(plan, /send it by itself: partner-credit-cli award --tenant t1 --order /)
    match(stderr, /Sent 2: 7 EP credited\.\n$/)
  })

  test('sends nothing that a spreadsheet or an encoding has made of an order that is credited', async (t) => {
    const damaged: [string, string][] = [
      ['1001.10', '1001.1'], // a number with decimals
      ['1002.50', '"1002,5"'],
      ['.75', '0.75'],
      ['+84123', '84123'],
      ['123:45', '123:45:00'], // hours and minutes
      ['2026-05-06 15:00', '5/6/2026 15:00'],
      ['Mạ-1', 'M?-1'], // a letter that the encoding does not have
      ['Mộ-2', 'M\ufffd-2'],
      ['Mã-3', 'MÃ£-3'], // UTF-8 that was read as Windows-1252
      ['đ-4', 'Ä‘-4'],
      ['Đơn-5', 'Don-5'], // without its accents
      ["O'Neil-6", 'O’Neil-6'], // a word processor's quotes
      ['R&D-7', 'R&amp;D-7'], // written for a web page
      ['A 8', 'A%208'], // or for an address
      ['501', '$501'], // an amount of money
      ['502', '502 ₫'],
      ['5003', '"$5,003.00"'],
      ['-504', '(504)'], // an accountant's minus
      ['0.55', '55%'],
      ['56%', '0.56'],
      ['1-57', '1/57'], // a date that is shown in another way
      ['1-58', '01/58'],
      ['Mã-59', 'MĂ£-59'], // UTF-8 that was read as Windows-1258
      ['Mã-60', 'M√£-60'], // or as Mac Roman
      ['đ-61', 'ƒë-61'],
      ['ĐH-62', 'ÐH-62'], // Windows-1258 that was read as Windows-1252
      ['R-0063', 'R-٠٠٦٣'], // the digits of another language
      ['R-00801', '"R-00801,"'], // what stood around it in a text, a list or a program
      ['R-00802', 'R-00802;'],
      ['R-00803', '[R-00803]'],
      ['R-00804', '=R-00804'],
      ['R-00805', '"""R-00805"'],
      ['R-00806;', 'R-00806'],
      ['A-807', 'А-807'], // a Cyrillic letter that looks alike
      ['А-808', 'A-808'],
      ['R-809', 'R809'], // without its signs
      ['12E3', '12-E3'],
      ['810', '٨١٠'],
      ['٨١١', '811'],
    ]
    const { reconcile, sent } = await prepared(
      t,
      damaged.map(([orderId]) => orderId),
      damaged.map(([, cell]) => `${cell},user@example.com,5000`),
    )
    await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
  })

  test('sends no order of a user who has as many EP for the same letters and digits, with signs between the digits', async (t) => {
    const uuid = '3f2504e0-4f89-11d3-9a0c-0305e82c3301'
    const credited = [uuid, '2026-0001', '20260002', '1-11']
    const list = [
      `${uuid.replaceAll('-', '')},ann@example.com,5000`, // 2
      '20260001,ann@example.com,5000', // 3
      '2026-0002,ann@example.com,5000', // 4
      '11-1,bob@example.com,5000', // 5: another user's
      '111,ann@example.com,6000', // 6: another amount
      '2026-0003,ann@example.com,5000', // 7: and again without its sign
      '20260003,ann@example.com,5000', // 8
      ...asListed.map((orderId) => `${orderId},ann@example.com,5000`),
    ]
    const { reconcile, sent } = await prepared(t, [...credited, ...asListed], list, {
      userEmail: 'ann@example.com',
    })
    const { stderr } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), ['11-1 bob@example.com 5', '111 ann@example.com 6'])
    match(
      stderr,
      /^3 +20260001 +it may be 2026-0001, which the list does not have with these values: the same user has as many EP/m,
    )
    match(stderr, /^7 +2026-0003 +it may be 20260003, which line 8 lists with the same values$/m)
  })

  test('sends no order of a user who has as many EP for an award that is not in the list, whatever its orderId', async (t) => {
    const changed: [string, string][] = [
      ['ORD00490', 'ORD0049O'],
      ['SO-1001', '1001'], // without its prefix
      ['order-of-a-long-name', 'order-of-a-lo'], // cut off
      ['123456789', '123456792'], // rounded to 24 bits
      ['12345678901234567890', '9223372036854775807'], // the largest number of 64 bits
      ['AB-77', 'BA-77'], // typed wrong
    ]
    const unchanged = ['AB-78,ann@example.com,6000', 'AB-79,bob@example.com,5000']
    const { reconcile, sent } = await prepared(
      t,
      [...changed.map(([orderId]) => orderId), ...asListed],
      [
        ...[...changed.map(([, cell]) => cell), ...asListed].map((cell) => `${cell},ann@example.com,5000`),
        ...unchanged,
      ],
      { userEmail: 'ann@example.com' },
    )
    const { stdout, stderr } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), ['AB-78 ann@example.com 6', 'AB-79 bob@example.com 5'])
    match(
      stderr,
      /^3 +1001 +it may be \S+, which the list does not have with these values: the same user has as many EP for it$/m,
    )
    match(
      stdout,
      /^missing +3 +1001 +5 EP for ann@example.com not credited; it may be \S+, which the list does not have with these values/m,
    )
  })

  test('sends no orderId that a spreadsheet or an encoding may have made of another one', async (t) => {
    const doubtful = [
      ...['$601', '602 ₫', '603 VND', '€604', '(605)', '66%', '6.7%'],
      ...['45678.5', '"45678,25"'], // a date with its time, as the number of days since 1900
      ...['2026-05-06T00:00:00', '2026-05-06T00:00:00.000Z', '6 May 2026', '"May 6, 2026"', '6-January'],
      ...['MĂ£-68', 'M√£-69', 'ƒê-70', 'm·∫°-71', 'ÐH-72', 'R-٧٣'],
    ]
    const list = doubtful.map((cell) => `${cell},user@example.com,5000`)
    const { reconcile, sent } = await prepared(t, [], list)
    const { stderr } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    match(stderr, new RegExp(`Not sent until somebody has looked at it, ${doubtful.length} missing orders:`))
  })

  test('sends nothing whose amount is a percentage, money of another country or of two readings', async (t) => {
    const amounts = ['50%', '$500', '€5.000', '"1,000"', '1.000', '5E+03', '(5000)', '5000 USD', '5/6/2026']
    const { reconcile, sent } = await prepared(
      t,
      [],
      amounts.map((amount, index) => `m-${index},user@example.com,${amount}`),
    )
    const { stdout } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    for (const [index] of amounts.entries())
      match(stdout, new RegExp(`^unreadable +${index + 2} +m-${index} .*the amount "`, 'm'))
  })

  test('sends nothing if the answer is not yes', async (t) => {
    const { reconcile, sent } = await prepared(t, [], ['m-1,ann@example.com,5000'])
    for (const answer of ['n', '', 'yesterday', 'no']) {
      const { code, stderr } = await reconcile(['--resend'], { answer })
      equal(code, 1)
      match(stderr, /To be sent, 1 missing order, 5 EP(.|\n)*Nothing was sent\.\n$/)
    }
    deepEqual(await sent(), [])
  })

  test('sends nothing if there is no terminal to ask at, and says how a script does it', async (t) => {
    const { reconcile, sent } = await prepared(t, [], ['m-1,ann@example.com,5000'])
    const { code, stdout, stderr } = await reconcile(['--resend'])
    deepEqual([code, stdout], [2, ''])
    match(stderr, /there is nobody to ask: say --yes/)
    deepEqual(await sent(), [])
  })

  test('--yes sends without asking; then the lists agree, and a second run sends nothing', async (t) => {
    const { reconcile, sent } = await prepared(
      t,
      ['e-1'],
      ['e-1,user@example.com,5000', 'm-1,a@example.com,1000'],
    )
    const options = ['--resend', '--yes', '--json', '--order-column', 'order']
    const first = await reconcile(options)
    equal(JSON.parse(first.stdout).totals.missing.count, 1)
    deepEqual(await sent(), ['m-1 a@example.com 1'])
    const second = await reconcile(options)
    match(second.stderr, /Nothing is sent: no order is missing\.\n$/)
    deepEqual(await sent(), ['m-1 a@example.com 1'])
  })

  test('exit code 0 where nothing but missing orders differed and all were sent', async (t) => {
    const { reconcile } = await prepared(t, [], ['m-1,a@example.com,1000', 'm-2,b@example.com,2000'])
    equal((await reconcile(['--resend', '--yes'])).code, 0)
  })

  const wrong: [string, string[], RegExp][] = [
    [
      'with --from, because what was credited before is not read',
      ['--from', '2020-01-01'],
      /Leave --from out/,
    ],
    ['without e-mails', ['--ignore-email'], /leave --ignore-email out/],
    ['without amounts', ['--points-column', 'amount'], /no column has an amount to send/],
  ]
  for (const [what, options, reason] of wrong) {
    test(`is refused ${what}`, async (t) => {
      const { reconcile, sent } = await prepared(t, [], ['m-1,ann@example.com,5000'])
      const { code, stderr } = await reconcile(['--resend', '--yes', ...options])
      equal(code, 2)
      match(stderr, reason)
      deepEqual(await sent(), [])
    })
  }

  test('--yes alone is refused: it would say yes to nothing', async (t) => {
    const { reconcile } = await prepared(t, [], [])
    const { code, stderr } = await reconcile(['--yes'])
    equal(code, 2)
    match(stderr, /--yes belongs to --resend/)
  })

  test('an order that is refused is named, and the others are sent', async (t) => {
    const list = ['m-1,ann@example.com,99999999999000', 'm-2,ann@example.com,5000']
    const { reconcile, sent } = await prepared(t, [], list)
    const { code, stderr } = await reconcile(['--resend', '--yes'])
    equal(code, 1)
    match(stderr, /^line 2, m-1: PER_TX_CAP_EXCEEDED: /m)
    match(stderr, /Sent 1: 5 EP credited; 1 refused\.\n$/)
    deepEqual(await sent(), ['m-2 ann@example.com 5'])
  })

  test('when the service does not respond, it stops, and says that the same command goes on', async (t) => {
    const list = ['m-1,ann@example.com,5000', 'm-2,ann@example.com,5000']
    const { live, reconcile, sent } = await prepared(t, [], list)
    const proxy = await startFaultyProxy(t, live.service.url)
    const { code, stderr } = await reconcile(['--resend'], {
      url: proxy.url,
      answer: () => {
        proxy.next({ status: 503, headers: { 'retry-after': '60' } })
        return 'y'
      },
    })
    equal(code, 2)
    match(stderr, /Run the same command again later: it sends only what is still missing/)
    ok((await sent()).length <= 1)
    equal((await reconcile(['--resend', '--yes'])).code, 0)
    deepEqual(await sent(), ['m-1 ann@example.com 5', 'm-2 ann@example.com 5'])
  })

  test('an order whose response got lost is not called refused for what the retry gets', async (t) => {
    const { live, reconcile, sent } = await prepared(t, [], ['m-1,ann@example.com,5000'])
    const proxy = await startFaultyProxy(t, live.service.url)
    const body = { status: 400, code: 'INVALID_REQUEST', detail: 'malformed HTTP', requestId: 'r' }
    const { code, stderr } = await reconcile(['--resend'], {
      url: proxy.url,
      answer: () => {
        proxy.next('is answered, and the answer is lost', { status: 400, body: JSON.stringify(body) })
        return 'y'
      },
    })
    equal(code, 2)
    match(stderr, /Run the same command again later: it sends only what is still missing/)
    doesNotMatch(stderr, /refused/)
    deepEqual(await sent(), ['m-1 ann@example.com 5'])
    equal((await reconcile(['--resend', '--yes'])).code, 0)
  })
})
