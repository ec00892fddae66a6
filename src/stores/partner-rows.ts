import type { ShownPartner } from '../answers/ledger-queries.ts'
import type {
  ChangePosition,
  DefaultCaps,
  Grant,
  GrantInMode,
  Key,
  Partner,
  Tenant,
} from '../partners/partner-store.ts'
import { columns } from './columns.ts'

/** A row of a partner, with the partner's id. Inside a `Partner` the id would be redundant. */
export type Owned<T> = T & { partnerId: string }
export type PartnerRow = Omit<Partner, 'grants' | 'keys'>

/** What both stores read of partners and tenants. */
export const partnerSelection = columns<PartnerRow>(
  'partnerId',
  'name',
  'status',
  'perTx',
  'perPartnerDay',
  'requestsPerSecond',
  'createdAt',
)
export const changedPartnerSelection = `${partnerSelection}, ${columns<ChangePosition>('changedIn')}`
export const grantSelection = columns<Owned<Grant>>('partnerId', 'tenantId', 'perTx', 'perPartnerDay')
/** From grants and tenants, joined. */
export const grantInModeSelection = `${grantSelection}, ${columns<GrantInMode>('mode')}`
export const keySelection = columns<Owned<Key>>(
  'partnerId',
  'keyId',
  'apiKeyHash',
  'sealedSecret',
  'createdAt',
  'expiresAt',
  'revokedAt',
)
export const tenantSelection = columns<Tenant>('tenantId', 'mode', 'perUserDay', 'createdAt')
export const defaultCapsSelection = columns<DefaultCaps>('perTx', 'perPartnerDay', 'perUserDay', 'setAt')

export function partnersOf<Row extends PartnerRow, G extends Grant>(
  partners: Row[],
  grants: Owned<G>[],
  keys: Owned<Key>[],
): (Row & { grants: G[]; keys: Key[] })[] {
  const grantsOf = Map.groupBy(grants, (grant) => grant.partnerId)
  const keysOf = Map.groupBy(keys, (key) => key.partnerId)
  return partners.map((partner) => ({
    ...partner,
    grants: (grantsOf.get(partner.partnerId) ?? []).map(withoutPartnerId),
    keys: (keysOf.get(partner.partnerId) ?? []).map(withoutPartnerId),
  }))
}

function withoutPartnerId<T>({ partnerId: _, ...rest }: Owned<T>): T {
  return rest as unknown as T
}

/** For questions that are not about signatures. */
export function withoutSecrets({ keys, ...partner }: Partner): ShownPartner {
  return {
    ...partner,
    keys: keys.map(({ apiKeyHash: _, sealedSecret: __, ...key }) => key),
  }
}
