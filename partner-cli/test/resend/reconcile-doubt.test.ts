import { deepEqual, equal, match } from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { anOrder, startLive } from '../../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from '../command-line.ts'
import { preparedList } from '../prepared-list.ts'

/** An order as `orderId email`, always of 5 EP. */
async function resend(t: TestContext, credited: string[], list: string[]) {
  const live = await startLive(t)
  for (const order of credited) {
    const [orderId, userEmail] = order.split(' ') as [string, string]
    await live.credit.award(anOrder({ orderId, userEmail, amount: 5000 }))
  }
  const rows = list.map((order) => `${order.replace(' ', ',')},5000`)
  const { stderr } = await runCommand(['reconcile', '-', '--tenant', 't1', '--resend', '--yes'], {
    environment: environmentOf(live),
    stdin: ['order,email,amount', ...rows, ''].join('\n'),
  })
  const awards = await Array.fromAsync(live.credit.awards({ tenantId: 't1' }))
  return { stderr, sent: awards.length - credited.length }
}

const web = Array.from({ length: 5 }, (_, number) => `WEB-${number} web-${number}@example.com`)

describe('reconcile --resend sends nothing while an order is in doubt', () => {
  const lists: [string, string[], string[], RegExp][] = [
    [
      'one channel of the shop is credited under longer orderIds, however many orders match',
      ['SO-1001 ann@example.com', ...web],
      ['1001 ann@example.com', ...web, '1003 bob@example.com'],
      /^2 +1001 +it may be SO-1001, which the list does not have with these values/m,
    ],
    [
      'one channel of the shop is credited under orderIds that have nothing in common with the list',
      ['8f2c-aa ann@example.com', ...web],
      ['1001 ann@example.com', ...web, '1003 bob@example.com'],
      /^2 +1001 +it may be 8f2c-aa, which the list does not have with these values/m,
    ],
    [
      'a credited order is listed under a second, shorter orderId',
      ['SO-1003 ann@example.com'],
      ['SO-1003 ann@example.com', '1003 ann@example.com'],
      /^3 +1003 +it may be SO-1003, which line 2 lists with the same values$/m,
    ],
    [
      'a credited order is listed under a second, longer orderId',
      ['1003 ann@example.com'],
      ['1003 ann@example.com', 'SO-1003-VN ann@example.com'],
      /^3 +SO-1003-VN +it may be 1003, which line 2 lists with the same values$/m,
    ],
    [
      'a credited order is listed under a second orderId that is a short number',
      ['SO-007 ann@example.com'],
      ['SO-007 ann@example.com', '7 ann@example.com'],
      /^3 +7 +it may be SO-007, which line 2 lists with the same values$/m,
    ],
    ...[
      ['WEB-1003', 'SO-1003'],
      ['20261118-1006', '181126-1006'],
      ['HD001007', 'DH1007'],
      ['S0-1011', 'SO-1011'],
      ['ORD00490', 'ORD0049O'],
    ].map(([orderId, second]): [string, string[], string[], RegExp] => [
      `a credited order is listed under a second orderId, ${second} for ${orderId}`,
      [`${orderId} ann@example.com`],
      [`${orderId} ann@example.com`, `${second} ann@example.com`],
      new RegExp(`^3 +${second} +it may be ${orderId}, which line 2 lists with the same values$`, 'm'),
    ]),
    [
      'an order that is not credited is listed under two orderIds',
      [],
      ['SO-1003 ann@example.com', '1003 ann@example.com'],
      /^2 +SO-1003 +it may be 1003, which line 3 lists with the same values\n3 +1003 +it may be SO-1003, which line 2/m,
    ],
    [
      'a credited order is listed under a second orderId, with a tag in the address',
      ['SO-1003 ann@example.com'],
      ['SO-1003 ann@example.com', '1003 ann+shop@example.com'],
      /^3 +1003 +it may be SO-1003, which line 2 lists with the same values$/m,
    ],
    [
      'an order is credited in another spelling to another e-mail',
      ['00490 ann@example.com', ...web],
      ['490 ann.lee@example.com', ...web, '493 bob@example.com'],
      /^2 +490 +credited as 00490: 5 EP to ann@example.com/m,
    ],
    [
      'an order may be credited under another orderId to the same mailbox, without the tag of its address',
      ['SO-1001 ann@example.com', ...web],
      ['1001 Ann+shop@example.com', ...web, '1003 bob@example.com'],
      /^2 +1001 +it may be SO-1001, which the list does not have with these values/m,
    ],
    [
      'an order may be credited under another orderId to the same mailbox, with a tag in its address',
      ['SO-1001 ann+shop@example.com', ...web],
      ['1001 ann@example.com', ...web, '1003 bob@example.com'],
      /^2 +1001 +it may be SO-1001, which the list does not have with these values/m,
    ],
    [
      'an orderId was made by a spreadsheet',
      web,
      ['2-Jan ann@example.com', ...web, '493 bob@example.com'],
      /^2 +2-Jan +a spreadsheet may have made this date/m,
    ],
    [
      'a number has lost its digits',
      web,
      ['1.23457E+11 ann@example.com', ...web, '493 bob@example.com'],
      /^2 +1\.23457E\+11 +a spreadsheet shortened this number, its last digits are lost/m,
    ],
  ]
  for (const [when, credited, list, why] of lists)
    test(when, async (t) => {
      const { stderr, sent } = await resend(t, credited, list)
      equal(sent, 0)
      match(stderr, why)
      match(stderr, /^Nothing is sent while an order is in doubt/m)
    })

  test('and the reports for programs tell it from an order that is certainly missing', async (t) => {
    const doubt = 'a spreadsheet may have made this date, or this error, of another text'
    const list = ['2-Jan,ann@example.com,5000', 'm-1,bob@example.com,5000']
    const { reconcile } = await preparedList(t, [], list)
    const { findings } = JSON.parse((await reconcile(['--json'])).stdout)
    const columns = { columns: true } as const
    const rows: Record<string, string>[] = parse((await reconcile(['--format', 'csv'])).stdout, columns)
    for (const [report, none] of [
      [findings, null],
      [rows, ''],
    ])
      deepEqual(
        report.map(({ finding, detail, doubt }: Record<string, string>) => [finding, detail, doubt]),
        [
          ['missing', '5 EP for ann@example.com not credited', doubt],
          ['missing', '5 EP for bob@example.com not credited', none],
        ],
      )
    match((await reconcile([])).stdout, new RegExp(`^missing .* not credited; ${doubt}$`, 'm'))
  })

  const certain: [string, string[], string[]][] = [
    ['other users have', ['SO-1003 ann@example.com'], ['SO-1003 ann@example.com', '1003 bob@example.com']],
    [
      'the same user has, with another number',
      ['SO-1003 ann@example.com'],
      ['SO-1003 ann@example.com', 'SO-1004 ann@example.com'],
    ],
    [
      'the same user has, with the same year at the end',
      ['1003/2026 ann@example.com'],
      ['1003/2026 ann@example.com', '1004/2026 ann@example.com'],
    ],
    [
      'the same user has, with the same digits at the end of a code',
      ['7f3c9123 ann@example.com'],
      ['7f3c9123 ann@example.com', 'b04e7123 ann@example.com'],
    ],
  ]
  for (const [whose, credited, list] of certain)
    test(`but an order is not in doubt for as many EP that ${whose}`, async (t) => {
      const { stderr, sent } = await resend(t, credited, list)
      deepEqual([sent, /in doubt/.test(stderr)], [1, false])
    })
})

describe('reconcile finds a difference', () => {
  /** Of a list that has no credited order. */
  async function findingsOf(t: TestContext, list: string) {
    const environment = environmentOf(await startLive(t))
    const args = ['reconcile', '-', '--tenant', 't1', '--json']
    const { code, stdout } = await runCommand(args, { environment, stdin: list })
    return { code, ...JSON.parse(stdout) }
  }

  test('where the list may be cut off within the amount of its last row, which gives no EP as it is', async (t) => {
    const row = 'order,email,amount\nb,bob@example.com,50'
    const { code, totals, findings } = await findingsOf(t, row)
    deepEqual([code, totals.unreadable.count, totals.belowMinimum.count], [1, 1, 0])
    const [{ finding, line, orderId, listed, detail }] = findings
    deepEqual([finding, line, orderId, listed], ['unreadable', 2, 'b', null])
    match(detail, /^gives no EP as it is, but the list ends in the middle of this line: it may be cut off/)
    const complete = await findingsOf(t, `${row}\n`)
    deepEqual([complete.code, complete.findings, complete.totals.belowMinimum.count], [0, [], 1])
  })

  test('and a doubt where an order is listed twice with other points, in a list that has points only', async (t) => {
    const list = 'order,email,points\nb,bob@example.com,5\nb,bob@example.com,50\n'
    const { findings } = await findingsOf(t, list)
    deepEqual(
      findings.map(({ finding, doubt }: Record<string, string>) => [finding, doubt]),
      [
        ['missing', 'line 3 lists it with other values'],
        ['repeated', null],
      ],
    )
    const alike = await findingsOf(t, list.replace('50', '5'))
    equal(alike.findings[0].doubt, null)
  })
})
