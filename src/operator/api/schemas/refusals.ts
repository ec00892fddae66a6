import { Type } from 'typebox'
import { count, ep, exact, nextCursor, oneOf, orNull, refusalCode, tenantId, text, time } from './values.ts'

/** Of a request without a known key: `(unknown)`. */
const journalPartnerId = text('The partner of the key; `(unknown)` if nobody has it.')
const cap = orNull(text('Of a refusal by a cap: perTx, perPartnerDay or perUserDay.'))

export const refusal = exact({
  at: time('When.'),
  partnerId: journalPartnerId,
  keyId: orNull(text("The key's id.")),
  tenantId: text('The tenant; `(unknown)` if there is none of this name.'),
  endpoint: oneOf(['award', 'history']),
  code: refusalCode,
  cap,
  limit: orNull(ep('The value of the cap.')),
  requested: orNull(ep('The EP that the award would have had.')),
  used: orNull(ep('EP used of perPartnerDay then. Never of perUserDay.')),
  requestId: text('The id of the request, as the partner has it in the response.'),
})

export const refusalList = exact({
  countedSince: time('Counts begin here, which may be a little earlier than was asked for.'),
  countedUntil: orNull(time('They end before this, which may be a little later; null: they have no end.')),
  total: count('Refusals, by the counts.'),
  counts: Type.Array(
    exact({
      partnerId: journalPartnerId,
      code: refusalCode,
      cap,
      refusals: count('How many.'),
      points: ep('EP that the awards would have had.'),
    }),
  ),
  replays: Type.Array(exact({ age: text('How soon the replay came.'), replays: count('How many.') })),
  rows: Type.Array(refusal, { description: 'Single refusals, newest first.' }),
  rowsSince: orNull(time('The oldest single refusal that is kept; null: none is.')),
  nextCursor,
})

/** One of the checks in their published order. */
const check = exact({
  name: text('What was checked.'),
  result: oneOf(['passed', 'failed', 'not reached']),
  code: orNull(text('What a request that fails it gets.')),
})

const outcome = Type.Union([
  exact({ kind: Type.Literal('credit'), points: ep('EP.') }),
  Type.Object({ kind: Type.Literal('reject'), code: refusalCode }, { additionalProperties: true }),
])

/** What the rules would decide. */
export const forecast = exact({
  tenantId,
  amount: orNull(count('The raw amount that was supposed; null: that of 1 EP.')),
  outcome,
  largest: orNull(ep('The largest award that the partner could make there; null: none, however small.')),
})

export const explainedRefusal = exact({
  refusal,
  partnerName: orNull(text("The partner's name; null: the partner is not known.")),
  partnerStatus: orNull(oneOf(['active', 'suspended'], 'Of the partner now; null: it is not known.')),
  checks: Type.Array(check, { description: 'In the published order. Empty for a history request.' }),
  resetsAt: orNull(time('Of a daily cap: when its counters reset.')),
  neededCap: orNull(ep('Of perPartnerDay: the smallest value that would have admitted the award.')),
  attempts: Type.Array(refusal, {
    description: 'All refusals of this order, newest first; without a known order, this request alone.',
  }),
  now: orNull(forecast),
  afterReset: orNull(forecast),
  forPartner: text(
    'A text for the partner: what it sent or was told in the response, and whether it is active again.',
  ),
})
