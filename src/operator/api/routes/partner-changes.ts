import { modesOf, shownPartner } from '../../../answers/shown-settings.ts'
import { allowTenant, denyTenant } from '../../../partners/allow-tenant.ts'
import { createPartner } from '../../../partners/create-partner.ts'
import type { Operator } from '../../../partners/operator.ts'
import type { Partner } from '../../../partners/partner-store.ts'
import { setPartnerDetails } from '../../../partners/set-partner-details.ts'
import { setPartnerCaps } from '../../../partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../../partners/set-partner-status.ts'
import { operatorOf } from '../operator-of.ts'
import { ApiProblem } from '../problem.ts'
import { route } from '../route.ts'
import { partnerCapsChange } from '../schemas/caps.ts'
import {
  grantChange,
  issuedKey,
  newPartner,
  partner,
  partnerChange,
  reasonOnly,
} from '../schemas/partners.ts'
import { exact, partnerId, tenantId } from '../schemas/values.ts'

const tag = 'Partners'
const params = exact({ partnerId })

export const partnerChangeRoutes = [
  route({
    method: 'POST',
    path: '/partners',
    tag,
    summary: 'Create a partner with its first key',
    description: 'The signing secret is only in this response.',
    needs: 'partners.write',
    body: newPartner,
    status: 201,
    response: issuedKey,
    async handle(call) {
      const {
        reason,
        tenants = [],
        sandboxTenants = [],
        perTx = null,
        perPartnerDay = null,
        ...named
      } = call.body
      if (tenants.length + sandboxTenants.length === 0)
        throw new ApiProblem('INVALID_REQUEST', 'name at least one tenant, in tenants or in sandboxTenants')
      const operator = await operatorOf(call, reason)
      const created = { ...named, tenants, sandboxTenants, perTx, perPartnerDay }
      return { body: await createPartner(operator, created, await call.parts.masterKey()) }
    },
  }),

  route({
    method: 'PATCH',
    path: '/partners/{partnerId}',
    tag,
    summary: "Change a partner's name or its requests per second",
    needs: 'partners.write',
    params,
    body: partnerChange,
    response: partner,
    async handle(call) {
      const { reason, ...details } = call.body
      if (Object.keys(details).length === 0)
        throw new ApiProblem('INVALID_REQUEST', 'say what to change: name, requestsPerSecond or both')
      return shown(await operatorOf(call, reason), (operator) =>
        setPartnerDetails(operator, call.params.partnerId, details),
      )
    },
  }),

  route({
    method: 'PUT',
    path: '/partners/{partnerId}/caps',
    tag,
    summary: "Set a partner's caps, in all tenants or in one",
    needs: 'partners.write',
    params,
    body: partnerCapsChange,
    response: partner,
    async handle(call) {
      const { reason, tenantId: tenant, perTx, perPartnerDay } = call.body
      if (perTx === undefined && perPartnerDay === undefined)
        throw new ApiProblem('INVALID_REQUEST', 'say which cap to set: perTx, perPartnerDay or both')
      return shown(await operatorOf(call, reason), (operator) =>
        setPartnerCaps(operator, call.params.partnerId, { perTx, perPartnerDay }, tenant),
      )
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/suspend',
    tag,
    summary: 'Suspend a partner',
    description: 'Its new awards are refused; history and replays of known orders keep working.',
    needs: 'partners.suspend',
    params,
    body: reasonOnly,
    response: partner,
    async handle(call) {
      return shown(await operatorOf(call, call.body.reason), (operator) =>
        suspendPartner(operator, call.params.partnerId),
      )
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/resume',
    tag,
    summary: 'Resume a suspended partner',
    needs: 'partners.suspend',
    params,
    body: reasonOnly,
    response: partner,
    async handle(call) {
      return shown(await operatorOf(call, call.body.reason), (operator) =>
        resumePartner(operator, call.params.partnerId),
      )
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/tenants',
    tag,
    summary: 'Allow a partner to use a tenant',
    needs: 'partners.write',
    params,
    body: grantChange,
    response: partner,
    async handle(call) {
      const { tenantId: tenant, mode, reason } = call.body
      return shown(await operatorOf(call, reason), (operator) =>
        allowTenant(operator, call.params.partnerId, tenant, mode),
      )
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/tenants/{tenantId}/deny',
    tag,
    summary: 'Withdraw a tenant from a partner',
    description: 'Its awards there stay in the ledger.',
    needs: 'partners.write',
    params: exact({ partnerId, tenantId }),
    body: reasonOnly,
    response: partner,
    async handle(call) {
      return shown(await operatorOf(call, call.body.reason), (operator) =>
        denyTenant(operator, call.params.partnerId, call.params.tenantId),
      )
    },
  }),
]

/** The partner as it is after the change. */
async function shown(operator: Operator, change: (operator: Operator) => Promise<Partner>) {
  const changed = await change(operator)
  return { body: shownPartner(changed, modesOf(await operator.store.tenantModes())) }
}
