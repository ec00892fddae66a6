import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { preparedList } from '../prepared-list.ts'

/** The rows of these orders, each of a user and an amount of its own; those that are credited have 5 EP. */
function rowsOf(orderIds: string[], credited: string[]): string[] {
  return orderIds.map((orderId, index) =>
    credited.includes(orderId)
      ? `${orderId},user@example.com,5000`
      : `${orderId},u${index}@example.com,${20 + index}000`,
  )
}

type Case = { when: string; credited: string[]; list: string[]; doubtful: string[]; why?: RegExp }

const inDoubt: Case[] = [
  {
    when: 'a decimal may have lost a zero at its end: others of the list have more decimals',
    credited: [],
    list: ['1118.11', '1118.12', '1118.2'],
    doubtful: ['1118.11', '1118.12', '1118.2'],
    why: /1118\.2 +a program may have taken zeros from its end: 1118\.1\d has more decimals/,
  },
  {
    when: 'a decimal may have lost a zero at its end: credited ones have more decimals, whatever is listed',
    credited: ['77.31', '77.32', '77.33'],
    list: ['77.4'],
    doubtful: ['77.4'],
    why: /77\.4 +a program may have taken zeros from its end: 77\.3\d has more decimals/,
  },
  {
    when: 'a decimal may have lost a zero at its end, in a complete list (1118.20 for the shop)',
    credited: ['1118.11', '1118.12', '1118.13', '1118.14'],
    list: ['1118.11', '1118.12', '1118.13', '1118.14', '1118.2'],
    doubtful: ['1118.2'],
  },
  {
    when: 'a decimal may have lost a zero at its end, and nothing shows how many decimals the shop writes',
    credited: [],
    list: ['1118.2', '1118.3'],
    doubtful: ['1118.2', '1118.3'],
    why: /1118\.2 +a program may have taken zeros from its end: no credited order has as many decimals/,
  },
  {
    when: 'a whole number may have lost all of its decimals',
    credited: ['1118.11', '1118.12'],
    list: ['1118.11', '1118.12', '1119'],
    doubtful: ['1119'],
  },
  {
    when: 'a whole number may have lost the decimals that another order has: zeros',
    credited: ['1117', '1118.0'],
    list: ['1117', '1118.0', '1119'],
    doubtful: ['1119'],
  },
  {
    when: 'a decimal may be a rounded one: its end is as long as a spreadsheet shows it',
    credited: ['20261118.122'],
    list: ['20261118.122', '20261118.12'],
    doubtful: ['20261118.12'],
  },
  {
    when: 'numbers may have lost zeros at their front: credited ones have some, and the list has only those that are missing',
    credited: ['00490', '00491', '00492'],
    list: ['493', '494'],
    doubtful: ['493', '494'],
    why: /493 +a program may have taken zeros, or a plus sign, from its front: 0049\d has some/,
  },
  {
    when: 'a number may have lost zeros at its front: another order of the list has some',
    credited: [],
    list: ['00490', '493'],
    doubtful: ['493'],
  },
  {
    when: 'a number is as long as the credited ones, which all begin with a zero',
    credited: ['01', '02', '099'],
    list: ['100'],
    doubtful: ['100'],
  },
  {
    when: 'a number may have lost a plus sign',
    credited: ['+84912345678'],
    list: ['84912345679'],
    doubtful: ['84912345679'],
  },
  {
    when: 'a number with decimals may have lost zeros at its front',
    credited: ['0118.25', '1118.25'],
    list: ['0118.25', '1118.25', '119.25'],
    doubtful: ['119.25'],
  },
  {
    when: 'a number is shorter than the credited ones, which are all as long as each other',
    credited: ['10490', '10491', '12000'],
    list: ['10490', '10491', '12000', '493'],
    doubtful: ['493'],
    why: /493 +a program may have taken zeros from its front: \d{5} is longer/,
  },
  ...[
    { scheme: 'a day', credited: ['31102601', '31102602'], lost: '1112601' },
    { scheme: 'a day, after the 9th', credited: ['10112601', '10112602'], lost: '9112601' },
    { scheme: 'a month', credited: ['10012601', '10012602'], lost: '9302699' },
    { scheme: 'a time', credited: ['100000', '100001'], lost: '95959' },
  ].map(({ scheme, credited, lost }) => ({
    when: `a number of a fixed length that begins with ${scheme} may have lost its zero`,
    credited,
    list: [...credited, lost],
    doubtful: [lost],
  })),
  {
    when: 'a number of a fixed length may have lost its zero, and the history has some short orderIds of another kind',
    credited: ['7', '9', '10', '31102601', '31102602'],
    list: ['1112601'],
    doubtful: ['1112601'],
  },
  {
    when: 'a number of a fixed length may have lost its zero, and nothing is credited',
    credited: [],
    list: ['31102601', '31102602', '1112601'],
    doubtful: ['1112601'],
  },
  {
    when: 'a number may have got zeros at its front: credited ones are shorter, and none as long has any',
    credited: ['490', '491'],
    list: ['490', '491', '00493'],
    doubtful: ['00493'],
    why: /00493 +a program may have put zeros in front of it: 49\d has none/,
  },
  {
    when: 'a decimal may have got zeros at its end: a credited one has fewer decimals, and none has so many with a zero',
    credited: ['1118.1', '1118.11'],
    list: ['1118.1', '1118.11', '1118.20'],
    doubtful: ['1118.20'],
    why: /1118\.20 +a program may have put zeros at its end: 1118\.1 has fewer decimals/,
  },
]

const certain: (Omit<Case, 'doubtful'> & { sent: string[] })[] = [
  ...[[], ['998'], ['999'], ['1000'], ['998', '1000'], ['998', '999'], ['999', '1000']].map((credited) => ({
    when: `whole numbers of growing length, ${credited.join(' and ') || 'none'} of them credited`,
    credited,
    list: ['998', '999', '1000'],
    sent: ['998', '999', '1000'].filter((orderId) => !credited.includes(orderId)),
  })),
  {
    when: 'whole numbers from 1 on, none of them credited',
    credited: [],
    list: Array.from({ length: 60 }, (_, index) => String(7 + 2 * index)).concat('997', '1003'),
    sent: Array.from({ length: 60 }, (_, index) => String(7 + 2 * index)).concat('997', '1003'),
  },
  {
    when: 'a short whole number, as the credited ones have grown longer',
    credited: ['9998', '10001'],
    list: ['9998', '10001', '412'],
    sent: ['412'],
  },
  {
    when: 'a short whole number that is as long as a credited one',
    credited: ['1112601', '31102601'],
    list: ['1112601', '31102601', '2112601'],
    sent: ['2112601'],
  },
  {
    when: 'a number that is as long as those with zeros in front, if the list has kept them',
    credited: [],
    list: ['09998', '09999', '10000'],
    sent: ['09998', '09999', '10000'],
  },
  {
    when: 'a number that is as long as those with zeros in front, if one without is credited',
    credited: ['09999', '10000'],
    list: ['09999', '10000', '10001'],
    sent: ['10001'],
  },
  {
    when: 'a number that has kept its zeros, in front',
    credited: ['00490'],
    list: ['00490', '00493'],
    sent: ['00493'],
  },
  {
    when: 'a number with zeros in front as credited ones of its length have, beside shorter ones',
    credited: ['490', '00491'],
    list: ['490', '00491', '00493'],
    sent: ['00493'],
  },
  {
    when: 'a decimal that ends in a zero as a credited one does, beside ones with fewer decimals',
    credited: ['1118.1', '1118.10'],
    list: ['1118.1', '1118.10', '1119.20'],
    sent: ['1119.20'],
  },
  {
    when: 'a decimal with as many decimals as the credited ones',
    credited: ['1118.11', '1118.12'],
    list: ['1118.11', '1118.12', '1118.13'],
    sent: ['1118.13'],
  },
  {
    when: 'decimals of a list that has kept the zeros at their end',
    credited: [],
    list: ['1118.19', '1118.20', '1118.21'],
    sent: ['1118.19', '1118.20', '1118.21'],
  },
  {
    when: 'a whole number, if one is credited, beside decimals that do not end in zeros only',
    credited: ['1117', '1117.1'],
    list: ['1117', '1117.1', '1119'],
    sent: ['1119'],
  },
  {
    when: 'orderIds with letters or signs, beside numbers with zeros',
    credited: ['00490', '1118.20'],
    list: ['00490', '1118.20', 'SO-493', '2026-0493'],
    sent: ['SO-493', '2026-0493'],
  },
]

describe('reconcile --resend sends nothing while a number may have lost zeros, or got some', () => {
  for (const { when, credited, list, doubtful, why } of inDoubt)
    test(when, async (t) => {
      const { reconcile, sent } = await preparedList(t, credited, rowsOf(list, credited), {
        userEmail: 'user@example.com',
      })
      const { code, stdout, stderr } = await reconcile(['--resend', '--yes', '--json'])
      deepEqual([code, await sent()], [1, []])
      const { findings } = JSON.parse(stdout)
      const doubts = findings.filter(
        ({ finding, doubt }: Record<string, string | null>) => finding === 'missing' && doubt !== null,
      )
      deepEqual(
        doubts.map(({ orderId }: Record<string, string>) => orderId),
        doubtful,
      )
      if (why !== undefined) match(stderr, why)
    })
})

describe('reconcile --resend sends', () => {
  for (const { when, credited, list, sent: expected } of certain)
    test(when, async (t) => {
      const { reconcile, sent } = await preparedList(t, credited, rowsOf(list, credited), {
        userEmail: 'user@example.com',
      })
      const { code, stderr } = await reconcile(['--resend', '--yes'])
      deepEqual(
        (await sent()).map((award) => award.split(' ')[0]),
        expected,
        stderr,
      )
      equal(code, 0, stderr)
    })

  test('what was in doubt, once one such order was sent by itself as the shop spells it', async (t) => {
    const credited = ['10490', '12000']
    const list = rowsOf([...credited, '493', '494'], credited)
    const { live, reconcile, sent } = await preparedList(t, credited, list, { userEmail: 'user@example.com' })
    await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), [])
    await live.credit.award({ tenantId: 't1', orderId: '493', userEmail: 'u2@example.com', amount: 22_000 })
    await reconcile(['--resend', '--yes'])
    deepEqual(await sent(), ['493 u2@example.com 22', '494 u3@example.com 23'])
  })
})
