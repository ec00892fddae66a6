import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFaultyProxy } from '../../../sdk/test/faulty-proxy.ts'
import { startLive } from '../../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from '../command-line.ts'
import { preparedList } from '../prepared-list.ts'

describe('reconcile --resend', () => {
  test('sends what is missing and nothing else, after showing it and asking', async (t) => {
    const list = [
      'e-1,ann@example.com,5000', // 2: credited
      'm-1,ann@example.com,5250', // 3: missing
      'm-2,ann@example.com,many', // 4: unreadable
      'm-3,ann@example.com,999', // 5: gives no EP
      'm-4,Bob@example.com,2000', // 6: missing, listed twice alike
      'm-4,Bob@example.com,2000', // 7
    ]
    const { reconcile, sent } = await preparedList(t, ['e-1'], list, { userEmail: 'ann@example.com' })
    const { code, stdout, stderr } = await reconcile(['--resend'], { answer: 'y' })
    deepEqual(await sent(), ['m-1 ann@example.com 5', 'm-4 bob@example.com 2'])
    equal(code, 1, 'the other rows still differ')
    match(stdout, /^missing +3 +m-1 /m)
    const plan = stderr.slice(0, stderr.indexOf('Send them? [y/N] y'))
    match(plan, /To be sent, 2 missing orders, 7 EP in the tenant t1:\nline +order +e-mail +amount +EP\n/)
    match(plan, /^3 +m-1 +ann@example\.com +5250 +5$/m)
    match(plan, /^6 +m-4 +bob@example\.com +2000 +2$/m)
    doesNotMatch(plan, /e-1|m-2|m-3/)
    match(stderr, /Sent 2: 7 EP credited\.\n$/)
  })

  test('sends nothing whose amount is a percentage, money of another country or of two readings', async (t) => {
    const amounts = ['50%', '$500', '€5.000', '"1,000"', '1.000', '5E+03', '(5000)', '5000 USD', '5/6/2026']
    const { reconcile, sent } = await preparedList(
      t,
      [],
      amounts.map((amount, index) => `m-${index},user@example.com,${amount}`),
    )
    const { stdout } = await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    for (const [index] of amounts.entries())
      match(stdout, new RegExp(`^unreadable +${index + 2} +m-${index} .*the amount "`, 'm'))
  })

  for (const header of ['email,amount,order', 'email,order,amount'])
    test(`sends no order of a list that is cut off within its last row (${header})`, async (t) => {
      const live = await startLive(t)
      const rows = ['ann@example.com,5000,P-271491001', 'bob@example.com,70000,P-271492001']
      const ordered = rows.map((row) => (header.endsWith('amount') ? row.replace(/(,.*)(,.*)/, '$2$1') : row))
      const whole = [header, ...ordered, ''].join('\n')
      const reconcile = (stdin: string) =>
        runCommand(['reconcile', '-', '--tenant', 't1', '--resend', '--yes'], {
          environment: environmentOf(live),
          stdin,
        })
      const sent = async () =>
        (await Array.fromAsync(live.credit.awards({ tenantId: 't1' }))).map(
          ({ orderId, points }) => `${orderId} ${points}`,
        )
      await reconcile(whole.slice(0, whole.lastIndexOf('bob')))
      for (let end = whole.length - 1; whole[end - 1] !== ','; end--) {
        const { stderr } = await reconcile(whole.slice(0, end))
        deepEqual(await sent(), ['P-271491001 5'])
        match(stderr, /the list ends in the middle of this line: it may be cut off|no order is missing/)
      }
      await reconcile(whole)
      deepEqual(await sent(), ['P-271492001 70', 'P-271491001 5'])
    })

  test('sends nothing if the answer is not yes', async (t) => {
    const { reconcile, sent } = await preparedList(t, [], ['m-1,ann@example.com,5000'])
    for (const answer of ['n', '', 'yesterday', 'no']) {
      const { code, stderr } = await reconcile(['--resend'], { answer })
      equal(code, 1)
      match(stderr, /To be sent, 1 missing order, 5 EP(.|\n)*Nothing was sent\.\n$/)
    }
    deepEqual(await sent(), [])
  })

  test('sends nothing if there is no terminal to ask at, and says how a script does it', async (t) => {
    const { reconcile, sent } = await preparedList(t, [], ['m-1,ann@example.com,5000'])
    const { code, stdout, stderr } = await reconcile(['--resend'])
    deepEqual([code, stdout], [2, ''])
    match(stderr, /there is nobody to ask: say --yes/)
    deepEqual(await sent(), [])
  })

  test('--yes sends without asking; then the lists agree, and a second run sends nothing', async (t) => {
    const { reconcile, sent } = await preparedList(
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

  test('two runs at once credit each order once', async (t) => {
    const list = Array.from({ length: 20 }, (_, number) => `m-${100 + number},u${number}@example.com,1000`)
    const { reconcile, sent } = await preparedList(t, [], list)
    await Promise.all([reconcile(['--resend', '--yes']), reconcile(['--resend', '--yes'])])
    const awards = await sent()
    equal(awards.length, list.length)
    deepEqual(new Set(awards), new Set(list.map((row) => row.replace(',1000', ' 1').replace(',', ' '))))
  })

  test('exit code 0 where nothing but missing orders differed and all were sent', async (t) => {
    const { reconcile } = await preparedList(t, [], ['m-1,a@example.com,1000', 'm-2,b@example.com,2000'])
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
      const { reconcile, sent } = await preparedList(t, [], ['m-1,ann@example.com,5000'])
      const { code, stderr } = await reconcile(['--resend', '--yes', ...options])
      equal(code, 2)
      match(stderr, reason)
      deepEqual(await sent(), [])
    })
  }

  test('--yes alone is refused: it would say yes to nothing', async (t) => {
    const { reconcile } = await preparedList(t, [], [])
    const { code, stderr } = await reconcile(['--yes'])
    equal(code, 2)
    match(stderr, /--yes belongs to --resend/)
  })

  test('an order that is refused is named, and the others are sent', async (t) => {
    const list = ['m-1,ann@example.com,99999999999000', 'm-2,ann@example.com,5000']
    const { reconcile, sent } = await preparedList(t, [], list)
    const { code, stderr } = await reconcile(['--resend', '--yes'])
    equal(code, 1)
    match(stderr, /^line 2, m-1: PER_TX_CAP_EXCEEDED: /m)
    match(stderr, /Sent 1: 5 EP credited; 1 refused\.\n$/)
    deepEqual(await sent(), ['m-2 ann@example.com 5'])
  })

  test('when the service does not respond, it stops, and says that the same command goes on', async (t) => {
    const list = ['m-1,ann@example.com,5000', 'm-2,ann@example.com,5000']
    const { live, reconcile, sent } = await preparedList(t, [], list)
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
    const { live, reconcile, sent } = await preparedList(t, [], ['m-1,ann@example.com,5000'])
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
