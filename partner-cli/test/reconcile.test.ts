import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, startLive } from '../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from './command-line.ts'

const minute = 60_000

/** On a real service: six awards in t1, a minute apart; e-1 the oldest. In t2 there is what a test puts there. */
describe('reconcile', async () => {
  const live = await startLive({ after })
  const { service, credit } = live
  const environment = environmentOf(live)
  const folder = temporaryFolder({ after })
  /** The output, and any draft of it. */
  const filesOf = (output: string) => readdirSync(folder).filter((name) => name.startsWith(basename(output)))
  const day = service.clock.now()
  for (const [index, order] of [
    { orderId: 'e-1', userEmail: 'ann@example.com', amount: 5250 },
    { orderId: 'e-2', userEmail: 'bob@example.com', amount: 2999 },
    { orderId: 'é 🎁', userEmail: 'Cid@Example.com', amount: 1000 },
    { orderId: '=SUM(A1)', userEmail: 'dan@example.com', amount: 7000 },
    { orderId: 'e-5', userEmail: 'eve@example.com', amount: 3000 },
    { orderId: 'e-6', userEmail: 'eve@example.com', amount: 4000 },
  ].entries()) {
    service.clock.set(day + index * minute)
    await credit.award(anOrder(order))
  }
  const same = [
    'Order ID,User e-mail,Total',
    'e-1,ann@example.com,5999',
    'e-2,BOB@example.com,2000',
    'é 🎁,cid@example.com,1999',
    '=SUM(A1),dan@example.com,7000',
    'e-5,eve@example.com,3000',
    'e-6,eve@example.com,4000',
  ]
  const reconcile = (stdin: string, ...options: string[]) =>
    runCommand(['reconcile', '-', '--tenant', 't1', ...options], { environment, stdin })
  const jsonOf = async (stdin: string, ...options: string[]) => {
    const { code, stdout, stderr } = await reconcile(stdin, '--json', ...options)
    equal(stderr, '')
    return { code, ...JSON.parse(stdout) }
  }

  test('lists that agree: exit code 0, and the totals', async () => {
    const { code, stdout, stderr } = await reconcile(same.join('\n'))
    equal(code, 0)
    equal(stderr, '')
    match(stdout, /^matched +6 +22 EP/m)
    match(stdout, /Compared 6 rows \(22 EP\) with 6 awards \(22 EP\): no difference\.\n$/)
    doesNotMatch(stdout, /e-1/)
  })

  const asFile: [string, string, string[]][] = [
    [
      'semicolons, CRLF, a byte order mark and quotes',
      `\ufeff${same.join('\r\n').replaceAll(',', ';').replaceAll('e-1', '"e-1"')}\r\n`,
      [],
    ],
    ['tabs, and blank lines', `\n${same.join('\n\n').replaceAll(',', '\t')}\n\n\n`, ['--delimiter', 'tab']],
    [
      'points instead of amounts',
      [
        'ep,order,mail',
        '5,e-1,ann@example.com',
        '2,e-2,bob@example.com',
        '1,é 🎁,cid@example.com',
        '7,=SUM(A1),dan@example.com',
        '3,e-5,eve@example.com',
        '4,e-6,eve@example.com',
      ].join('\n'),
      [],
    ],
    [
      'columns of any name',
      same.join('\n').replace('Order ID,User e-mail,Total', 'a,b,c'),
      ['--order-column', 'a', '--email-column', 'b', '--amount-column', 'c'],
    ],
    [
      'other addresses that do not count',
      same.join('\n').replaceAll('example.com', 'example.org'),
      ['--ignore-email'],
    ],
    [
      'amounts as a spreadsheet in Vietnam writes them',
      same
        .join('\n')
        .replaceAll(',', ';')
        .replace('Total', 'Amount (VND)')
        .replace(/;(\d)(\d{3})$/gm, ';$1.$2'),
      ['--decimal-mark', 'comma'],
    ],
    [
      'amounts with decimals and a currency',
      same
        .join('\n')
        .replace('Total', 'Amount (VND)')
        .replace(/,(\d{4})$/gm, ',$1.00 ₫'),
      [],
    ],
  ]
  for (const [what, file, options] of asFile) {
    test(`reads a list with ${what}`, async () => {
      const { code, differences, totals } = await jsonOf(file, ...options)
      deepEqual([code, differences, totals.matched], [0, 0, { count: 6, points: 22 }])
    })
  }

  const differing = [
    'order,email,amount',
    'e-1,ann@example.com,6000', // 2: other points
    'e-2,bob@example.net,2999', // 3: another e-mail
    'é 🎁,cid@example.com,1000',
    'e-9,"new\u001b[2J@example.com",8000', // 5: missing
    'e-1,ann@example.com,6000', // 6: repeated
    'e-5,eve@example.com,"3,000"', // 7: unreadable, so e-5 is not extra
    'e-7,zoe@example.com,999', // 8: gives no EP
    'e-8,zoe@example.com', // 9: too short
    ',zoe@example.com,1000', // 10: no order
  ].join('\n')
  const expected = [
    ['different', 2, 'e-1', '6 EP listed, 5 EP credited'],
    ['different', 3, 'e-2', 'bob@example.net listed, bob@example.com credited'],
    ['missing', 5, 'e-9', '8 EP for new\u001b[2j@example.com not credited'],
    ['repeated', 6, 'e-1', 'is on line 2 already: 6 EP for ann@example.com'],
    [
      'unreadable',
      7,
      'e-5',
      'the amount "3,000" can be 3000 or 3: say which with --decimal-mark point (3000) or --decimal-mark comma (3)',
    ],
    ['unreadable', 9, null, 'has 2 cells where the first row has 3'],
    ['unreadable', 10, null, 'has no order'],
    ['extra', null, 'e-6', /^4 EP credited to eve@example\.com at 20.*Z, not in the list$/],
    ['extra', null, '=SUM(A1)', /^7 EP credited to dan@example\.com/],
  ] as const

  test('lists that differ: every difference with its line and both values, exit code 1', async () => {
    const { code, tenantId, differences, totals, findings } = await jsonOf(differing)
    deepEqual([code, tenantId, differences], [1, 't1', 9])
    equal(findings.length, expected.length)
    for (const [index, [finding, line, orderId, detail]] of expected.entries()) {
      const found = findings[index]
      deepEqual([found.finding, found.line, found.orderId], [finding, line, orderId])
      if (typeof detail === 'string') equal(found.detail, detail)
      else match(found.detail, detail)
    }
    deepEqual(findings[0].listed, { userEmail: 'ann@example.com', points: 6 })
    const { userEmail, points } = findings[0].credited
    deepEqual({ userEmail, points }, { userEmail: 'ann@example.com', points: 5 })
    const counts = Object.entries(totals as Record<string, { count: number; points: number }>)
    deepEqual(Object.fromEntries(counts.map(([name, { count, points }]) => [name, [count, points]])), {
      orders: [9, 23],
      awards: [6, 22],
      matched: [1, 1],
      different: [2, 7],
      missing: [1, 8],
      extra: [2, 11],
      repeated: [1, 6],
      unreadable: [3, 0],
      belowMinimum: [1, 0],
      outsideRange: [0, 0],
      unreadableOrder: [1, 3],
      similar: [0, 0],
      similarOrder: [0, 0],
    })
  })

  test('as a table: a line each, and nothing in it can steer the terminal', async () => {
    const { code, stdout } = await reconcile(differing)
    equal(code, 1)
    const lines = stdout.split('\n')
    match(lines[0]!, /^finding +line +order +detail$/)
    match(lines[1]!, /^different +2 +e-1 +6 EP listed, 5 EP credited$/)
    match(lines[3]!, /^missing +5 +e-9 +8 EP for new\\u\{1b\}\[2j@example\.com not credited$/)
    doesNotMatch(stdout, /\u001b/)
    match(stdout, /^unreadable +3 +0 EP +rows that were not compared$/m)
    match(stdout, /: 9 differences\.\n$/)
  })

  test('as CSV, into a file: a spreadsheet runs nothing in it', async () => {
    const output = join(folder, 'differences.csv')
    const { code, stdout, stderr } = await reconcile(differing, '--format', 'csv', '--output', output)
    equal(code, 1)
    equal(stdout, '')
    match(stderr, /9 differences\.\n$/)
    const rows: Record<string, string>[] = parse(readFileSync(output), { columns: true })
    deepEqual(
      rows.map(({ finding, line, orderId }) => [finding, line, orderId]),
      expected.map(([finding, line, orderId]) => [
        finding,
        String(line ?? ''),
        orderId === '=SUM(A1)' ? "'=SUM(A1)" : (orderId ?? ''),
      ]),
    )
    const [first] = rows
    deepEqual([first?.listedPoints, first?.creditedPoints], ['6', '5'])
    deepEqual([rows[1]?.listedEmail, rows[1]?.creditedEmail], ['bob@example.net', 'bob@example.com'])
    deepEqual(filesOf(output), [basename(output)])
  })

  test('--from and --to bound what is extra; what is listed is found after --to', async () => {
    const header = 'order,email,amount'
    const at = (index: number) => new Date(day + index * minute).toISOString()
    const only = `${header}\ne-6,eve@example.com,4000`
    const ids = ({ findings }: { findings: { orderId: string; finding: string }[] }) =>
      findings.map(({ orderId, finding }) => `${finding} ${orderId}`)
    const middle = await jsonOf(only, '--from', at(2), '--to', at(4))
    deepEqual(ids(middle), ['extra =SUM(A1)', 'extra é 🎁'])
    deepEqual([middle.from, middle.to], [at(2), at(4)])
    equal(middle.totals.outsideRange.count, 1)
    const early = await jsonOf(`${header}\ne-1,ann@example.com,5250`, '--from', at(5))
    deepEqual(ids(early), ['missing e-1', 'extra e-6'])
    match(early.findings[0].detail, /not credited since 20/)
    const whole = await jsonOf(only, '--to', '2020-01-01')
    deepEqual([whole.code, whole.totals.outsideRange.count], [0, 5])
  })

  test('what "awards" writes is a list that agrees, over several pages', async () => {
    const awkward = ['a,b', 'c"d', 'e;f', ' g ', 'h\u2028']
    const orderIds = [...awkward, ...Array.from({ length: 215 }, (_, index) => `p-${index}`)]
    await Promise.all(
      orderIds.map((orderId, index) =>
        credit.award({ tenantId: 't2', orderId, userEmail: `u${index}@example.com`, amount: 1000 }),
      ),
    )
    const list = join(folder, 'awards.csv')
    const options = ['--tenant', 't2', '--format', 'csv', '--output', list]
    const listed = await runCommand(['awards', ...options], { environment })
    equal(listed.code, 0, listed.stderr)
    const { code, stdout } = await runCommand(['reconcile', list, '--tenant', 't2'], { environment })
    equal(code, 0, stdout)
    match(stdout, /^matched +220 +220 EP/m)
  })

  describe('no result: exit code 2, and the reason', () => {
    const wrong: [string, string, string[], RegExp][] = [
      [
        'no column of an order',
        'id,email,amount\n',
        [],
        /no column has an order \(--order-column\); the first row says: id \| email \| amount/,
      ],
      [
        'neither amount nor points',
        'order,email,\u001b[2J\n',
        [],
        /no column has an amount or points .*\| \\u\{1b\}\[2J$/m,
      ],
      [
        'two columns that can be the amount',
        'order,email,amount,total\n',
        [],
        /amount and total can both be the amount: say which with --amount-column/,
      ],
      [
        'an amount in another currency',
        'order,email,Amount (USD)\n',
        [],
        /Is the number in "Amount \(USD\)" the one that you send as the amount\? Then say --amount-column "Amount \(USD\)"/,
      ],
      [
        'a decimal mark that is none',
        same.join('\n'),
        ['--decimal-mark', 'x'],
        /must be one of point, comma/,
      ],
      [
        'a column that is not there',
        'order,email,amount\n',
        ['--points-column', 'Ep'],
        /--points-column Ep: the columns are order \| email \| amount/,
      ],
      ['an empty list', '', [], /the list is empty/],
      ['a first row that is broken', 'or"der,email,amount\n', [], /line 1, its first row, has a quote/],
      [
        'a delimiter that is none',
        same.join('\n'),
        ['--delimiter', 'x'],
        /must be one of comma, semicolon, tab/,
      ],
      [
        'a format that is none',
        same.join('\n'),
        ['--format', 'xml'],
        /--format must be one of table, csv, json/,
      ],
      ['a day that is none', same.join('\n'), ['--from', '2025-02-30'], /--from must be a Vietnam day/],
      [
        'a time without its zone',
        same.join('\n'),
        ['--to', '2025-11-15T08:00:00'],
        /or a time with its zone/,
      ],
      [
        'an end before the start',
        same.join('\n'),
        ['--from', '2025-11-16', '--to', '2025-11-15'],
        /--from must be before --to/,
      ],
      [
        'an output that cannot be written',
        same.join('\n'),
        ['--output', join(folder, 'no/where')],
        /the output cannot be written/,
      ],
      ['an option twice', same.join('\n'), ['--tenant', 't9'], /--tenant is given twice/],
    ]
    for (const [what, file, options, reason] of wrong) {
      test(what, async () => {
        const { code, stdout, stderr } = await reconcile(file, ...options)
        match(stderr, reason)
        deepEqual([code, stdout], [2, ''])
        doesNotMatch(stderr, /\n {4}at /)
      })
    }

    test('a tenant that is not allowed, or an address that cannot be right, and no file is left', async () => {
      const output = join(folder, 'never.json')
      const args = ['reconcile', '-', '--json', '--output', output]
      const stdin = same.join('\n')
      const refused = await runCommand([...args, '--tenant', 't9'], { environment, stdin })
      match(refused.stderr, /TENANT_NOT_ALLOWED/)
      equal(refused.code, 2)
      const nobody = await runCommand([...args, '--tenant', 't1', '--url', 'http://127.0.0.1:1/v1'], {
        environment,
        stdin,
      })
      match(nobody.stderr, /BASE_URL must end before \/v1/)
      equal(nobody.code, 2)
      deepEqual(filesOf(output), [])
    })
  })

  test('a terminal sees a bar', async () => {
    const list = join(folder, 'same.csv')
    writeFileSync(list, same.join('\n'))
    const { stderr } = await runCommand(['reconcile', list, '--tenant', 't1'], {
      environment,
      isTerminal: true,
    })
    match(stderr, /reconcile █{30} 5 rows read/)
    match(stderr, /(read|comparing)\r\u001b\[K$/)
  })
})
