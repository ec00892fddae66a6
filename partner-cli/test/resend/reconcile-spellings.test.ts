import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anOrder, startLive } from '../../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from '../command-line.ts'

type Live = Awaited<ReturnType<typeof startLive>>

function reconcile(live: Live, stdin: string, ...options: string[]) {
  return runCommand(['reconcile', '-', '--tenant', 't1', ...options], {
    environment: environmentOf(live),
    stdin,
  })
}

describe('reconcile and spellings', () => {
  test('an order that was credited in another spelling is never called missing: sent again it would be credited twice', async (t) => {
    const own = await startLive(t)
    const credited = [
      ...['R-00490', 'R-00491', '00492', '123456789012', '98765432109876543'],
      ...['5234567890123450', '7.65432E+13', '12000', '15E3'],
    ]
    for (const orderId of credited) await own.credit.award(anOrder({ orderId, amount: 5000 }))
    const spelled = [
      [' R-00490 ', 'R-00490'],
      ['r-00491', 'R-00491'],
      ['４９２', '00492'],
      ['\ufeff00492', '00492'],
      ['1.23457E+11', '123456789012'],
      ['98765432109876500', '98765432109876543'],
      ['5234567890123450.0', '5234567890123450'],
      ['76543212345678', '7\\.65432E\\+13'],
      ['12E3', '12000'],
      ['15000', '15E3'],
      ['1.5E+04', '15E3'],
    ] as const
    const list = [
      'order,email,amount',
      ...spelled.map(([id]) => `"${id}",ann@example.com,5000`),
      'R-500,ann@example.com,5000',
      '',
    ]
    const run = (...options: string[]) => reconcile(own, list.join('\n'), ...options)
    const { code, stdout } = await run('--json')
    const { findings, totals } = JSON.parse(stdout)
    equal(code, 1)
    const similar = findings.filter(({ finding }: { finding: string }) => finding === 'similar')
    for (const [index, [listed, orderId]] of spelled.entries()) {
      equal(similar[index].orderId, listed)
      match(similar[index].detail, new RegExp(`credited as ${orderId}: 5 EP to`))
      equal(similar[index].credited.points, 5)
    }
    const missing = findings.filter(({ finding }: { finding: string }) => finding === 'missing')
    deepEqual(
      missing.map(({ orderId }: { orderId: string }) => orderId),
      ['R-500'],
    )
    equal(totals.similar.count, spelled.length)
    match((await run()).stdout, /^similar +11 +55 EP +.*look before you send$/m)
  })

  test('two spellings in one list: the second is not called missing, and a shortened number never is', async (t) => {
    const list =
      'order,email,amount\nn-1,ann@example.com,1000\nN-01,ann@example.com,1000\n5E+14,ann@example.com,1000'
    const { findings } = JSON.parse((await reconcile(await startLive(t), list, '--json')).stdout)
    const ofRows = findings.filter(({ line }: { line: number | null }) => line !== null)
    deepEqual(
      ofRows.map(({ finding, detail, doubt }: Record<string, string>) => [finding, detail, doubt]),
      [
        ['missing', '1 EP for ann@example.com not credited', 'line 3 lists it as N-01'],
        ['similar', 'line 2 lists it as n-1', null],
        [
          'similar',
          'a spreadsheet shortened this number, its last digits are lost: export the column as text',
          null,
        ],
      ],
    )
  })

  const slipped = [
    ['alike', 'ORD-2,u1@example.com,1000\nORD-3,u2@example.com,2000\nORD-4,u3@example.com,3000'],
    [
      'in another spelling',
      'ord-2,u1@example.com,1000\nord-3,u2@example.com,2000\nord-4,u3@example.com,3000',
    ],
    [
      'beside a row that cannot be read',
      'ORD-2,u1@example.com,1000\nORD-3,u2@example.com,?\nORD-4,u3@example.com,3000',
    ],
  ] as const
  for (const [how, rows] of slipped)
    test(`--resend sends no order of a list whose orderIds have slipped by a row, spelled ${how}`, async (t) => {
      const live = await startLive(t)
      for (const number of [1, 2, 3])
        await live.credit.award(
          anOrder({ orderId: `ORD-${number}`, userEmail: `u${number}@example.com`, amount: number * 1000 }),
        )
      const { stderr } = await reconcile(live, `order,email,amount\n${rows}\n`, '--resend', '--yes')
      match(stderr, /^4 +ORD-4 +it may be ORD-3, which the list does not have with these values/im)
      equal((await Array.fromAsync(live.credit.awards({ tenantId: 't1' }))).length, 3)
    })

  const respelled: [string, string[], string[], RegExp][] = [
    [
      'a credited order in another spelling',
      ['00490', '00491'],
      ['490', '00491', '493'],
      /^2 +490 +credited as 00490: 5 EP to /m,
    ],
    [
      'a credited order in two spellings',
      ['00490'],
      ['00490', '490', '493'],
      /^3 +490 +credited as 00490: 5 EP to /m,
    ],
    [
      'a credited order as a spreadsheet shows its number',
      ['490123'],
      ['"490,123"', '493'],
      /^2 +490,123 +credited as 490123: 5 EP to /m,
    ],
    [
      'orders that may be credited under other orderIds',
      ['SO-490', 'SO-491', 'POS-1'],
      ['490', '491', 'POS-1', '493'],
      /^2 +490 +it may be SO-490, .*\n3 +491 +it may be SO-491, /m,
    ],
  ]
  for (const [what, credited, list, why] of respelled) {
    test(`--resend sends nothing if the list has ${what}: the missing orders may be spelled wrong as well`, async (t) => {
      const userOf = (orderId: string) =>
        `user-${orderId.replaceAll(/\D/g, '').slice(0, 6).slice(-3)}@example.com`
      const rowOf = (orderId: string) => `${orderId},${userOf(orderId)},5000`
      const live = await startLive(t)
      for (const orderId of credited)
        await live.credit.award(anOrder({ orderId, amount: 5000, userEmail: userOf(orderId) }))
      const { stderr } = await reconcile(
        live,
        ['order,email,amount', ...list.map(rowOf), ''].join('\n'),
        '--resend',
        '--yes',
      )
      match(stderr, why)
      match(stderr, /^Nothing is sent while an order is in doubt/m)
      const awards = await Array.fromAsync(live.credit.awards({ tenantId: 't1' }))
      equal(awards.length, credited.length)
    })
  }
})
