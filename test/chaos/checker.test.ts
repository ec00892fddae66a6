import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Entry } from '../../src/rules/entry.ts'
import { check } from './checker.ts'
import { HistoryLog, type Order } from './history-log.ts'

const order: Order = {
  partnerId: 'acme',
  orderId: 'A1',
  tenantId: 't1',
  userEmail: 'lan@example.vn',
  amount: 5999,
}
const other: Order = { ...order, orderId: 'A2' }
const third: Order = { ...order, orderId: 'A3' }

function entryOf({ amount, ...fields }: Order, overrides: Partial<Entry> = {}): Entry {
  const entry = {
    ...fields,
    seq: 1,
    epTransactionId: 'id-1',
    note: null,
    meta: null,
    salt: null,
    commitment: null,
    rawAmount: amount,
    amountPerEp: 1000,
    points: 5,
    awardedAt: 0,
    caps: { perTx: 10, perPartnerDay: 10, perUserDay: 10 },
    partnerDayTotal: 5,
    userDayTotal: 5,
    hash: new Uint8Array(32),
  }
  return { ...entry, ...overrides }
}

type Told = 202 | 200 | '400' | '409' | '429' | '500' | '503'
type Attempt = { told?: Told; order?: Order; changed?: boolean; id?: string; points?: number }

/** Writes attempts into a log, one after the other; without a response an attempt is still in flight. */
function attempts(log: HistoryLog, ...list: Attempt[]): void {
  for (const { changed = false, ...attempt } of list) {
    answer(log, log.invoke(attempt.order ?? order, { changed }), attempt)
  }
}

const codes = { '400': 'INVALID_REQUEST', '409': 'ORDER_ID_CONFLICT', '429': 'DAILY_CAP_EXCEEDED' }

function answer(log: HistoryLog, attempt: number, { told, id = 'id-1', points = 5 }: Attempt): void {
  if (told === undefined) return
  if (told === 202 || told === 200)
    log.append({ kind: 'ok', attempt, status: told, epTransactionId: id, points })
  else if (told === '500' || told === '503') log.append({ kind: 'unknown', attempt, why: `${told} why` })
  else log.append({ kind: 'fail', attempt, status: Number(told), code: codes[told] })
}

function walked(log: HistoryLog, ...epTransactionIds: string[]): void {
  log.append({ kind: 'walked', walk: log.beginWalk('acme', 't1'), epTransactionIds })
}

type Story = {
  name: string
  tell(log: HistoryLog): void
  entries?: Entry[]
  refusals?: string[]
  fault?: string
}

function findings({ tell, entries = [entryOf(order)], refusals = [], fault }: Story): string[] {
  const log = new HistoryLog()
  tell(log)
  return check(log, { entries, sound: fault === undefined, fault: fault ?? null }, { refusals })
}

const both = [entryOf(order), entryOf(other, { seq: 2, epTransactionId: 'id-2' })]
const tellBoth = (log: HistoryLog) => attempts(log, { told: 202 }, { order: other, told: 202, id: 'id-2' })

describe('a correct story is believed', () => {
  const correct: Story[] = [
    { name: 'credited', tell: (log) => attempts(log, { told: 202 }) },
    { name: 'credited, then a duplicate', tell: (log) => attempts(log, { told: 202 }, { told: 200 }) },
    { name: 'lost, and credited all the same', tell: (log) => attempts(log, { told: '503' }) },
    { name: 'lost, and never credited', tell: (log) => attempts(log, { told: '503' }), entries: [] },
    { name: 'lost, then a duplicate', tell: (log) => attempts(log, { told: '503' }, { told: 200 }) },
    { name: 'still on its way, and credited', tell: (log) => attempts(log, {}) },
    { name: 'still on its way, and not credited', tell: (log) => attempts(log, {}), entries: [] },
    {
      name: 'another payload conflicts',
      tell: (log) => attempts(log, { told: 202 }, { told: '409', changed: true }),
    },
    {
      name: 'refused by a cap where caps are expected',
      tell: (log) => attempts(log, { told: '429' }),
      entries: [],
      refusals: ['DAILY_CAP_EXCEEDED'],
    },
    {
      name: 'refused by a cap, credited the next day',
      tell: (log) => attempts(log, { told: '429' }, { told: 202 }),
      refusals: ['DAILY_CAP_EXCEEDED'],
    },
    {
      name: 'two copies at once, the duplicate is answered first',
      tell(log) {
        const first = log.invoke(order)
        const second = log.invoke(order)
        answer(log, second, { told: 200 })
        answer(log, first, { told: 202 })
      },
    },
    {
      name: 'a walk shows all, newest first',
      entries: both,
      tell(log) {
        tellBoth(log)
        walked(log, 'id-2', 'id-1')
      },
    },
    {
      name: 'a walk need not show what was acknowledged after it began',
      entries: both,
      tell(log) {
        attempts(log, { told: 202 })
        const walk = log.beginWalk('acme', 't1')
        attempts(log, { order: other, told: 202, id: 'id-2' })
        log.append({ kind: 'walked', walk, epTransactionIds: ['id-1'] })
      },
    },
    {
      name: 'a walk that was cut off says nothing',
      tell(log) {
        attempts(log, { told: 202 })
        log.append({ kind: 'walk-unknown', walk: log.beginWalk('acme', 't1'), why: 'reset' })
      },
    },
  ]
  for (const story of correct) test(story.name, () => assert.deepEqual(findings(story), []))
})

describe('a false one is found', () => {
  const forged: [finding: RegExp, Story][] = [
    [
      /^verify: a chain is broken/,
      { name: 'unsound', tell: (log) => attempts(log, { told: 202 }), fault: 'a chain is broken' },
    ],
    [
      /^I1: acme\/A1 was acknowledged and is not/,
      { name: 'acknowledged and lost', tell: (log) => attempts(log, { told: 202 }), entries: [] },
    ],
    [
      /^I1: acme\/A1 was acknowledged and is not/,
      { name: 'a duplicate of nothing', tell: (log) => attempts(log, { told: 200 }), entries: [] },
    ],
    [
      /^I1: acme\/A1 has another id/,
      { name: 'another id in the ledger', tell: (log) => attempts(log, { told: 202, id: 'id-9' }) },
    ],
    [
      /^I2: acme\/A1 has 2 entries/,
      {
        name: 'credited twice',
        tell: (log) => attempts(log, { told: 202 }),
        entries: [entryOf(order), entryOf(order, { seq: 2, epTransactionId: 'id-2' })],
      },
    ],
    [
      /^I3: acme\/A1 was 202 twice/,
      { name: '202 twice', tell: (log) => attempts(log, { told: 202 }, { told: 202 }) },
    ],
    [
      /^I3: acme\/A1 was known, and 202/,
      { name: '202 after a duplicate', tell: (log) => attempts(log, { told: 200 }, { told: 202 }) },
    ],
    [
      /^I3: acme\/A1 was given two ids/,
      { name: 'two ids', tell: (log) => attempts(log, { told: 202, id: 'id-9' }, { told: 200 }) },
    ],
    [
      /^I5: acme\/A1 with another payload was 200/,
      {
        name: 'another payload is a duplicate',
        tell: (log) => attempts(log, { told: 202 }, { told: 200, changed: true }),
      },
    ],
    ...(
      [
        ['tenant', { tenantId: 't2' }],
        ['user', { userEmail: 'minh@example.vn' }],
        ['amount', { rawAmount: 5998 }],
        ['points', { points: 6 }],
      ] satisfies [string, Partial<Entry>][]
    ).map(([what, overrides]): [RegExp, Story] => [
      /^I5: acme\/A1 is not in the ledger as it was sent/,
      {
        name: `another ${what} in the ledger`,
        tell: (log) => attempts(log, { told: 202 }),
        entries: [entryOf(order, overrides)],
      },
    ]),
    [
      /^I8: acme\/A1 was only ever refused/,
      {
        name: 'refused and credited',
        tell: (log) => attempts(log, { told: '429' }),
        refusals: ['DAILY_CAP_EXCEEDED'],
      },
    ],
    [
      /^I11: acme\/A1 was given 6 EP, not 5/,
      { name: 'other points', tell: (log) => attempts(log, { told: 202, points: 6 }) },
    ],
    [
      /^I14: acme\/A1 was refused: 429/,
      {
        name: 'refused by a cap where there is room',
        tell: (log) => attempts(log, { told: '429' }),
        entries: [],
      },
    ],
    [
      /^I14: acme\/A1 was refused: 429/,
      {
        name: 'known, and refused by a cap',
        tell: (log) => attempts(log, { told: 202 }, { told: '429' }),
        refusals: ['DAILY_CAP_EXCEEDED'],
      },
    ],
    [
      /^I14: acme\/A1 was refused: 409/,
      { name: 'the same payload conflicts', tell: (log) => attempts(log, { told: 202 }, { told: '409' }) },
    ],
    [
      /^I14: acme\/A1 was refused: 400/,
      { name: 'called invalid', tell: (log) => attempts(log, { told: '400' }), entries: [] },
    ],
    [/^acme\/A1 was a 500/, { name: 'a bug', tell: (log) => attempts(log, { told: '500' }), entries: [] }],
    [
      /^I21: acme\/A2 is in the ledger and nobody sent it/,
      { name: 'out of nowhere', tell: (log) => attempts(log, { told: 202 }), entries: both },
    ],
    ...(
      [
        [/^I17: a walk of acme\/t1 shows one twice/, ['id-2', 'id-2', 'id-1']],
        [/^I17: a walk of acme\/t1 skips 1, e.g. id-1/, ['id-2']],
        [/^I17: a walk of acme\/t1 is not newest first/, ['id-1', 'id-2']],
        [/^I17: a walk of acme\/t1 is not newest first, or shows what is not/, ['id-3', 'id-2', 'id-1']],
      ] satisfies [RegExp, string[]][]
    ).map(([finding, ids]): [RegExp, Story] => [
      finding,
      {
        name: `a walk that shows ${ids}`,
        entries: both,
        tell(log) {
          tellBoth(log)
          walked(log, ...ids)
        },
      },
    ]),
    [
      /^I18: a walk of acme\/t1 passed by/,
      {
        name: 'a walk that passes by what nobody was told of yet',
        entries: [...both, entryOf(third, { seq: 3, epTransactionId: 'id-3' })],
        tell(log) {
          attempts(log, { told: 202 }, { order: other, told: '503' }, { order: third, told: 202, id: 'id-3' })
          walked(log, 'id-3', 'id-1')
        },
      },
    ],
    [
      /^I20: a walk of acme\/t1 shows another account's award/,
      {
        name: "another partner's award in a walk",
        entries: [both[0]!, entryOf({ ...other, partnerId: 'globex' }, { epTransactionId: 'id-2' })],
        tell(log) {
          attempts(log, { told: 202 }, { order: { ...other, partnerId: 'globex' }, told: 202, id: 'id-2' })
          walked(log, 'id-2', 'id-1')
        },
      },
    ],
  ]
  for (const [finding, story] of forged) {
    test(story.name, () => {
      const found = findings(story)
      assert.ok(
        found.some((violation) => finding.test(violation)),
        `not among ${JSON.stringify(found)}`,
      )
    })
  }
})
