import { partnersDay } from '../../../answers/day-figures.ts'
import { lastUses } from '../../../answers/key-uses.ts'
import { partnerWithCaps } from '../../../answers/partner-caps.ts'
import { modesOf, shownDefaultCaps, shownKey, shownPartner } from '../../../answers/shown-settings.ts'
import { fullestFirst } from '../../../answers/usage.ts'
import { isoTime } from '../../../rules/iso-time.ts'
import { vietnamDay } from '../../../rules/vietnam-day.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { pageOf } from '../page-of.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { route } from '../route.ts'
import { grantList, names, partnerDetails, partnerList } from '../schemas/partners.ts'
import { exact, partnerId } from '../schemas/values.ts'

const tag = 'Partners'
const dayMs = 86_400_000

export const partnerRoutes = [
  route({
    method: 'GET',
    path: '/partners',
    tag,
    summary: 'List partners',
    description: 'Ordered by partnerId, with what they did today and the fullest of their daily caps.',
    needs: 'partners.read',
    query: exact(pageParameters),
    response: partnerList,
    async handle({ query, now, parts }) {
      const sources = await parts.sources()
      const { queries } = sources
      const [after] = readCursor('partners', query.cursor, ['string']) ?? ['']
      const limit = limitOf(query)
      const page = pageOf(await queries.partners(), ({ partnerId }) => partnerId, { after, limit })
      const { settings, accounts, figuresOf } = await partnersDay(sources, { day: vietnamDay(now) })
      const modes = modesOf([...settings.tenants.values()])
      const lastAwards = await lastAwardsOf(queries)
      const used = accounts
        .filter((account) => settings.damageOf(account) === null)
        .map((account) => ({
          ...account,
          sandbox: false,
          perPartnerDay: settings.capsOf(account).perPartnerDay,
        }))
        .sort(fullestFirst)
      const items = page.sound.map((partner) => {
        const fullest = used.find((account) => account.partnerId === partner.partnerId)
        return {
          ...shownPartner(partner, modes),
          today: figuresOf(partner.partnerId),
          highestUse:
            fullest === undefined
              ? null
              : { tenantId: fullest.tenantId, points: fullest.points, ...fullest.perPartnerDay },
          lastAwardAt: lastAwards.get(partner.partnerId) ?? null,
        }
      })
      const { damaged, next } = page
      return { body: { items, damaged, nextCursor: next === null ? null : writeCursor('partners', [next]) } }
    },
  }),

  route({
    method: 'GET',
    path: '/partners/{partnerId}',
    tag,
    summary: 'One partner, with the caps in force, who set them, and its keys',
    needs: 'partners.read',
    params: exact({ partnerId }),
    response: partnerDetails,
    async handle({ params, now, parts }) {
      const sources = await parts.sources()
      const { queries, journal } = sources
      const partner = await partnerWithCaps(queries, params.partnerId)
      const lastUse = await lastUses(journal, params.partnerId, now)
      const { figuresOf } = await partnersDay(sources, { day: vietnamDay(now), partnerId: params.partnerId })
      const [wrong] = await journal.counts({
        span: 'minute',
        from: now - dayMs,
        to: Number.MAX_SAFE_INTEGER,
        by: ['code'],
        partnerId: params.partnerId,
        code: 'INVALID_SIGNATURE',
      })
      return {
        body: {
          ...partner,
          createdAt: isoTime(partner.createdAt),
          keys: partner.keys.map((key) => ({ ...shownKey(key), ...lastUse(key.keyId) })),
          defaults: shownDefaultCaps(await queries.defaultCaps()),
          today: figuresOf(params.partnerId),
          lastAwardAt: (await lastAwardsOf(queries, params.partnerId)).get(params.partnerId) ?? null,
          wrongSignatures: wrong?.responses ?? 0,
        },
      }
    },
  }),

  route({
    method: 'GET',
    path: '/names',
    tag,
    summary: 'The names of partners, and all tenants',
    description: 'Nothing else about them, so that it is cheap. At most 5,000 of each.',
    needs: 'partners.read',
    response: names,
    async handle({ parts }) {
      const { queries } = await parts.sources()
      const [partners, tenants] = [all(await queries.partners()), all(await queries.tenants())]
      return {
        body: {
          partners: partners.slice(0, namesMax).map(({ partnerId, name }) => ({ partnerId, name })),
          tenants: tenants.slice(0, namesMax).map(({ tenantId, mode }) => ({ tenantId, mode })),
          isCut: Math.max(partners.length, tenants.length) > namesMax,
        },
      }
    },
  }),

  route({
    method: 'GET',
    path: '/partners/{partnerId}/tenants',
    tag,
    summary: "A partner's tenants, with the caps in force there",
    needs: 'partners.read',
    params: exact({ partnerId }),
    response: grantList,
    async handle({ params, parts }) {
      const { queries } = await parts.sources()
      const { grants } = await partnerWithCaps(queries, params.partnerId)
      return { body: { items: grants } }
    },
  }),
]

function all<A, B>({ sound, damaged }: { sound: A[]; damaged: B[] }): (A | B)[] {
  return [...sound, ...damaged]
}

/** Of each kind: some hundred KB at most. */
const namesMax = 5_000

type Accounts = {
  accounts(filter: { partnerId?: string | undefined }): Promise<{ partnerId: string; awardedAt: number }[]>
}

async function lastAwardsOf(queries: Accounts, partnerId?: string): Promise<Map<string, string>> {
  const last = new Map<string, number>()
  for (const account of await queries.accounts({ partnerId }))
    last.set(account.partnerId, Math.max(last.get(account.partnerId) ?? 0, account.awardedAt))
  return new Map([...last].map(([id, at]) => [id, isoTime(at, 'accounts')]))
}
