import { shownDefaultCaps, shownTenant } from '../../../answers/shown-settings.ts'
import { setDefaultCaps } from '../../../partners/set-default-caps.ts'
import { setTenantCaps } from '../../../partners/set-tenant-caps.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { operatorOf } from '../operator-of.ts'
import { pageOf } from '../page-of.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { ApiProblem } from '../problem.ts'
import { route } from '../route.ts'
import { defaultCaps, defaultCapsChange, tenantCapsChange } from '../schemas/caps.ts'
import { tenant, tenantList } from '../schemas/partners.ts'
import { exact, tenantId } from '../schemas/values.ts'

const tag = 'Tenants and default caps'

export const tenantRoutes = [
  route({
    method: 'GET',
    path: '/tenants',
    tag,
    summary: 'List tenants',
    needs: 'partners.read',
    query: exact(pageParameters),
    response: tenantList,
    async handle({ query, parts }) {
      const { queries } = await parts.sources()
      const [after] = readCursor('tenants', query.cursor, ['string']) ?? ['']
      const limit = limitOf(query)
      const defaults = await queries.defaultCaps()
      const { sound: partners } = await queries.partners()
      const page = pageOf(await queries.tenants(), (one) => one.tenantId, { after, limit })
      const items = page.sound.map((one) => ({
        ...shownTenant(one),
        inForce:
          one.perUserDay === null
            ? { limit: defaults.perUserDay, from: 'default' as const }
            : { limit: one.perUserDay, from: 'tenant' as const },
        partners: partners
          .filter(({ grants }) => grants.some((grant) => grant.tenantId === one.tenantId))
          .map(({ partnerId }) => partnerId),
      }))
      const { damaged, next } = page
      return { body: { items, damaged, nextCursor: next === null ? null : writeCursor('tenants', [next]) } }
    },
  }),

  route({
    method: 'PUT',
    path: '/tenants/{tenantId}/caps',
    tag,
    summary: "Set a tenant's cap per user and day",
    needs: 'partners.write',
    params: exact({ tenantId }),
    body: tenantCapsChange,
    response: tenant,
    async handle(call) {
      const { perUserDay, reason } = call.body
      const operator = await operatorOf(call, reason)
      return { body: shownTenant(await setTenantCaps(operator, call.params.tenantId, perUserDay)) }
    },
  }),

  route({
    method: 'GET',
    path: '/defaults/caps',
    tag,
    summary: 'The caps that apply where no other cap is set',
    needs: 'partners.read',
    response: defaultCaps,
    async handle({ parts }) {
      const { queries } = await parts.sources()
      return { body: shownDefaultCaps(await queries.defaultCaps()) }
    },
  }),

  route({
    method: 'PUT',
    path: '/defaults/caps',
    tag,
    summary: 'Set default caps',
    needs: 'partners.write',
    body: defaultCapsChange,
    response: defaultCaps,
    async handle(call) {
      const { reason, ...caps } = call.body
      if (Object.keys(caps).length === 0)
        throw new ApiProblem('INVALID_REQUEST', 'say which cap to set: perTx, perPartnerDay or perUserDay')
      return { body: shownDefaultCaps(await setDefaultCaps(await operatorOf(call, reason), caps)) }
    },
  }),
]
