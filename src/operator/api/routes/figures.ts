import { Type } from 'typebox'
import { overview as answerOverview } from '../../../answers/overview.ts'
import { series as answerSeries } from '../../../answers/series.ts'
import { tryCaps } from '../../../answers/try-caps.ts'
import { usage as answerUsage } from '../../../answers/usage.ts'
import { isoTime } from '../../../rules/iso-time.ts'
import { vietnamDay, vietnamDayStart } from '../../../rules/vietnam-day.ts'
import { latencyOf } from '../latency.ts'
import { broken, dayParameter, readDay, readTime, sinceParameter } from '../times.ts'
import { route } from '../route.ts'
import { capsToTry, triedCap } from '../schemas/caps.ts'
import { overview, partnerUsage, series, usage } from '../schemas/figures.ts'
import { exact, oneOf, partnerId, tenantId } from '../schemas/values.ts'
import { writeUserRef } from '../user-ref.ts'
import type { Verifications } from '../verification/verifications.ts'

const tag = 'Figures'
const ofPartner = { partnerId: Type.Optional(partnerId), tenantId: Type.Optional(tenantId) }

export const figureRoutes = [
  route({
    method: 'GET',
    path: '/overview',
    tag,
    summary: 'Is anything wrong now, and who is near a cap?',
    description: 'Sandbox tenants are left out.',
    needs: 'figures.read',
    response: overview,
    async handle({ now, parts }) {
      const { partners, tenants, ...answer } = await answerOverview(await parts.sources(), now)
      const readings = await parts.readings()
      const latency = readings === null ? null : latencyOf(readings, now)
      return {
        body: {
          ...answer,
          latency: latency?.latest ?? null,
          latencyHour: latency?.hour ?? null,
          ledger: {
            verifiedAt: timeOrNull(readings?.verifiedAt),
            notSoundAt: timeOrNull(
              readings?.notSoundAt ?? (await notSoundSince(parts.verifications, readings?.verifiedAt ?? 0)),
            ),
            clockDifferenceMs: readings?.clockDifferenceMs ?? null,
            warnings: readings?.warnings ?? [],
            partners,
            tenants,
          },
        },
      }
    },
  }),

  route({
    method: 'GET',
    path: '/series',
    tag,
    summary: 'Requests per minute, hour or day, for charts',
    description:
      'Of a Vietnam day, or of a period of at most 2,000 points. Without a request there is no point.',
    needs: 'figures.read',
    query: exact({
      span: Type.Optional(oneOf(['minute', 'hour', 'day'], 'minute if absent.')),
      day: dayParameter('All of this day.'),
      from: sinceParameter('Start, if no day is named.'),
      to: sinceParameter('End; now if absent.'),
      ...ofPartner,
    }),
    response: series,
    async handle({ query, now, parts }) {
      const { span = 'minute', day, from, to, partnerId: partner, tenantId: tenant } = query
      if (day !== undefined && (from !== undefined || to !== undefined))
        throw broken('day', 'name a day, or from and to, not both')
      const today = readDay('day', day, now)
      const period =
        from === undefined
          ? { from: vietnamDayStart(today), to: vietnamDayStart(today + 1) }
          : { from: readTime('from', from, now), to: to === undefined ? now : readTime('to', to, now) }
      const question = { span, ...period, partnerId: partner, tenantId: tenant }
      return { body: await answerSeries(await parts.sources(), question) }
    },
  }),

  route({
    method: 'GET',
    path: '/usage',
    tag,
    summary: 'How much of the daily caps is used',
    needs: 'figures.read',
    personalData: true,
    query: exact({
      day: dayParameter('Today if absent.'),
      ...ofPartner,
      users: Type.Optional(
        Type.Boolean({
          description: 'With the tenants, and their users nearest to perUserDay; without both if absent.',
        }),
      ),
      addresses: Type.Optional(
        Type.Boolean({
          description:
            'False: the users without addresses and references, so that it is no read of personal data.',
        }),
      ),
    }),
    response: usage,
    async handle(call) {
      const { query, now, parts } = call
      const { queries } = await parts.sources()
      const day = readDay('day', query.day, now)
      const seesUsers = query.users === true && query.addresses !== false && call.seesPersonalData
      const answer = await answerUsage(queries, {
        day,
        now,
        partnerId: query.partnerId,
        tenantId: query.tenantId,
        withUsers: query.users === true,
      })
      if (seesUsers) call.concerns(`users nearest to perUserDay on ${answer.day}`)
      else call.showsNobody()
      const key = seesUsers ? await parts.masterKey() : null
      const tenants = answer.tenants.map((tenant) => ({
        ...tenant,
        users: tenant.users.map(({ userEmail, points }) =>
          key === null
            ? { userEmail: null, userRef: null, points }
            : { userEmail, userRef: writeUserRef(key, { tenantId: tenant.tenantId, userEmail }), points },
        ),
      }))
      return { body: { ...answer, tenants } }
    },
  }),

  route({
    method: 'GET',
    path: '/partners/{partnerId}/usage',
    tag,
    summary: "How much of a partner's daily caps is used today",
    description: 'Without users, so that looking at a partner is no read of personal data.',
    needs: 'figures.read',
    params: exact({ partnerId }),
    response: partnerUsage,
    async handle({ params, now, parts }) {
      const { queries } = await parts.sources()
      const question = { ...params, day: vietnamDay(now), now, withUsers: false }
      const { day, endsAt, accounts, damaged } = await answerUsage(queries, question)
      return { body: { day, endsAt, accounts, damaged } }
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/caps/try',
    tag,
    summary: 'What another perPartnerDay or perTx would have changed',
    description: 'Nothing is changed.',
    needs: 'figures.read',
    params: exact({ partnerId }),
    body: capsToTry,
    response: triedCap,
    async handle({ params, body, now, parts }) {
      const { days = 30, ...tried } = body
      return { body: await tryCaps(await parts.sources(), { ...params, ...tried, days, now }) }
    },
  }),
]

/** The figures of the overview are worth having without it. */
async function notSoundSince({ read }: Verifications, at: number): Promise<number | null> {
  const { earlier } = await read().catch(() => ({ earlier: [] }))
  const last = earlier.find(({ state }) => state === 'sound' || state === 'not sound')
  return last?.state === 'not sound' && last.endedAt! > at ? last.endedAt : null
}

function timeOrNull(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : isoTime(at)
}
