import { Type } from 'typebox'
import { findKinds } from '../../../answers/find-kinds.ts'
import { capChange } from './caps.ts'
import { refusal } from './refusals.ts'
import {
  capPlace,
  count,
  day,
  ep,
  exact,
  flag,
  oneOf,
  orNull,
  partnerId,
  personal,
  sandbox,
  tenantId,
  tenantMode,
  text,
  time,
  userRef,
} from './values.ts'

const findKind = oneOf(findKinds, 'order: orderId; email: address; id: epTransactionId; request: requestId.')

export const findQuestion = exact({
  text: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'An orderId, an address, an epTransactionId or a requestId.',
  }),
  as: Type.Optional(findKind),
  partnerId: Type.Optional(partnerId),
  tenantId: Type.Optional(tenantId),
})

const awardFields = {
  epTransactionId: text('The id of the award.'),
  orderId: text("The partner's orderId."),
  userEmail: personal("The user's address."),
  userRef,
  note: personal('The note.'),
  awardedAt: time('When it was credited.'),
}

const foundAward = exact({
  foundAs: Type.Array(findKind),
  mode: tenantMode,
  partnerId,
  tenantId,
  seq: count('Its number in the account.'),
  ...awardFields,
  points: ep('EP.'),
  rawAmount: count('The raw amount.'),
  amountPerEp: count('Raw units per EP.'),
  remainder: count('Raw units that rounding down left without EP.'),
})

const foundRefusal = Type.Object(
  { foundAs: Type.Array(findKind), ...refusal.properties },
  { additionalProperties: false },
)

export const findAnswer = exact({
  text: text('What was searched for.'),
  searchedAs: Type.Array(findKind),
  credited: Type.Array(foundAward, { description: 'Newest first.' }),
  hasMoreCredited: flag('There are older ones.'),
  refused: Type.Array(foundRefusal, { description: 'Newest first.' }),
  hasMoreRefused: flag('There are older ones.'),
  refusalsSince: orNull(time('Since when refusals are on record; null: there are none.')),
  notSearched: Type.Array(text('What could not be searched, and why.')),
})

const capThen = {
  limit: ep('The cap when the award was decided.'),
  origin: orNull(
    exact(
      { from: capPlace, change: orNull(capChange) },
      'Where the cap came from; null: the audit trail does not say.',
    ),
  ),
}
const dayCapThen = exact({
  ...capThen,
  before: ep('Total of the day before the award.'),
  after: ep('Total of the day after it.'),
})

const orderInJournal = exact({
  refusals: Type.Array(refusal, { description: 'Newest first.' }),
  since: orNull(time('The oldest refusal on record, of any order; null: none is.')),
  problem: orNull(text('Why the order cannot be looked for; null if it was.')),
})

/** Why an award has so many EP. */
export const explainedAward = exact({
  credited: Type.Literal(true),
  partnerId,
  tenantId,
  sandbox,
  ...awardFields,
  day: day('Vietnam day of the award.'),
  arithmetic: exact({
    rawAmount: count('The raw amount.'),
    amountPerEp: count('Raw units per EP.'),
    points: ep('The quotient, rounded down.'),
    remainder: count('What rounding down left without EP.'),
  }),
  caps: exact({ perTx: exact(capThen), perPartnerDay: dayCapThen, perUserDay: dayCapThen }),
  chain: exact({
    seq: count('Its number in the account.'),
    length: count('How many entries the account has now.'),
    hash: text('SHA-256 in hex.'),
    hashMatches: flag('The hash, calculated again from the entry and the one before it, is the same.'),
    isLinked: flag('What follows was calculated from this hash.'),
  }),
  journal: orderInJournal,
  replays: exact({
    total: count('Replays of this order on record.'),
    isMinimum: flag('There may have been more: some were left out, or the award is older than the records.'),
    someLeftOut: flag("Of the partner's replays since the award, of whatever order, some were left out."),
    since: orNull(time('Since when replays are on record; null: they are not.')),
    byKey: Type.Array(
      exact({
        keyId: text('The key that they were signed with.'),
        replays: count('How many.'),
        firstAt: time('The first one.'),
        firstAfterMs: count('How long after the award it came, in milliseconds.'),
        lastAt: time('The last one.'),
        lastAfterMs: count('How long after the award it came, in milliseconds.'),
      }),
      { description: 'The first one first.' },
    ),
    problem: orNull(text('Why they cannot be looked for; null if they were.')),
  }),
  replaysOfDay: exact({
    isCounted: flag('False: the journal begins later.'),
    total: count('Replays of the partner in the tenant on that day, of all orders.'),
    byAge: Type.Array(exact({ age: text('How soon the replay came.'), replays: count('How many.') })),
  }),
})
