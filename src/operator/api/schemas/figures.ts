import { Type } from 'typebox'
import { reportDimensions } from '../../../answers/report.ts'
import { alert } from './alerts.ts'
import { dayFigures } from './partners.ts'
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
  refusalCode,
  sandbox,
  tenantId,
  text,
  time,
  userRef,
} from './values.ts'

const limit = exact({
  limit: ep('The cap in EP.'),
  from: orNull(capPlace),
})

const figuresOfDay = {
  partnerId,
  tenantId,
  sandbox,
  awards: count('Awards of the day.'),
  points: ep('EP of the day.'),
}
const accountUsage = exact({ ...figuresOfDay, perPartnerDay: limit })
const damaged = Type.Array(
  exact({ ...figuresOfDay, problem: text('Which row cannot be read, and what to do.') }),
  { description: 'Accounts whose cap is not known, because a row was changed from outside.' },
)

/** How much of the daily caps is used, the fullest first. */
export const usage = exact({
  day: day('Vietnam day.'),
  endsAt: time('When the counters reset.'),
  isOver: flag('The day is over. Its caps are those of its last awards.'),
  accounts: Type.Array(accountUsage),
  damaged,
  tenants: Type.Array(
    exact({
      tenantId,
      sandbox,
      perUserDay: limit,
      users: Type.Array(
        exact({ userEmail: personal("The user's address."), userRef, points: ep('EP of the day.') }),
        {
          description: 'Those nearest to the cap, first.',
        },
      ),
    }),
  ),
})

/** The same of one partner, with the tenants that it has not used, and without users. */
export const partnerUsage = exact({
  day: day('Vietnam day.'),
  endsAt: time('When the counters reset.'),
  accounts: Type.Array(accountUsage),
  damaged,
})

const reportFigures = {
  awards: count('Awards.'),
  points: ep('EP.'),
  rawAmount: count('Raw amount.'),
  remainder: count('Raw amount that rounding down left without EP.'),
  refusals: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'How many requests for an award were refused, by code.',
  }),
  refusedPoints: ep('EP of the refused awards, as far as they are known. A retry counts again.'),
}

const reportRow = exact({
  partnerId: orNull(text('Null: the report is not by partner.')),
  partnerName: orNull(text('Its name; null also if the partner is not known.')),
  tenantId: orNull(text('Null: the report is not by tenant.')),
  day: orNull(text('Null: the report is not by day.')),
  ...reportFigures,
})

export const report = exact({
  from: day('First Vietnam day.'),
  to: day('Last day, included.'),
  by: Type.Array(oneOf(reportDimensions)),
  rows: Type.Array(reportRow),
  total: exact(reportFigures),
  sandboxTenantsLeftOut: Type.Array(text('Awards in them do not count.')),
  refusalsSince: orNull(time('Since when refusals are counted; null: there is no journal yet.')),
})

/** One minute, hour or day with at least one request. */
const seriesPoint = exact({
  at: time('Its start.'),
  awards: count('New awards.'),
  points: ep('Their EP.'),
  refused: count('Requests for an award that were refused.'),
  refusedPoints: ep('Their EP, as far as they are known.'),
  replays: count('Repeated requests for credited orders.'),
})

export const series = exact({
  span: oneOf(['minute', 'hour', 'day']),
  from: time('Start, included.'),
  to: time('End, not included.'),
  countedSince: orNull(time('Since when requests are counted; null: not yet.')),
  points: Type.Array(seriesPoint, { description: 'Oldest first. Without a request there is no point.' }),
})

const quantiles = {
  requests: count('Requests for an award in that time, in this process.'),
  p50Ms: orNull(Type.Number({ description: 'Half of them took at most this long; null: longer than 10 s.' })),
  p99Ms: orNull(Type.Number({ description: '99 of 100 took at most this long; null: longer than 10 s.' })),
}

export const overview = exact({
  now: time('The clock of the service.'),
  day: day('Vietnam day.'),
  endsAt: time('When the daily counters reset.'),
  today: dayFigures,
  yesterday: exact({
    untilNow: dayFigures,
    awards: count('New awards of the whole day.'),
    points: ep('EP of the whole day.'),
  }),
  accounts: Type.Array(accountUsage, {
    description: 'The live accounts nearest to perPartnerDay: at most 10.',
  }),
  refusalsByCode: Type.Array(
    exact({
      code: refusalCode,
      refusals: count('Today.'),
      points: ep('Their EP.'),
      yesterday: count('Yesterday until the same time.'),
    }),
    { description: 'Refused requests for an award, most frequent first.' },
  ),
  alerts: Type.Array(alert, { description: 'Open ones, newest first: at most 20.' }),
  latency: orNull(
    exact(
      {
        since: time('Measured since then.'),
        ...quantiles,
      },
      'How long requests for an award took in the last ten minutes; null: there were none.',
    ),
  ),
  latencyHour: orNull(
    exact(
      {
        since: time('Measured since then: for an hour at most.'),
        minutes: Type.Array(exact({ at: time('Its start.'), ...quantiles }), {
          description: 'Oldest first. Without a request there is no minute.',
        }),
      },
      'The same for each of the last minutes; null: not known.',
    ),
  ),
  ledger: exact({
    verifiedAt: orNull(time('When `verify` last found the ledger sound; null: not known.')),
    notSoundAt: orNull(time('When a later verification found it not sound; null: none is known.')),
    clockDifferenceMs: orNull(
      Type.Integer({ description: "How far our clock is ahead of the database server's; null: not known." }),
    ),
    warnings: Type.Array(text('Which guarantees are missing.')),
    partners: count('How many partners there are.'),
    tenants: count('How many tenants there are.'),
  }),
})

const account = exact({
  partnerId,
  tenantId,
  sandbox,
  entries: count('How many entries the account has.'),
  headHash: text('The hash of the last one: SHA-256 in hex.'),
  lastAwardAt: time('When it was credited.'),
})
export const accountList = exact({
  items: Type.Array(account),
  nextCursor: orNull(text('Send it as `cursor` to get the next page.')),
})
