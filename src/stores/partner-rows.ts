import type { ShownPartner } from '../answers/ledger-queries.ts'
import type {
  ChangedPartner,
  ChangePosition,
  DefaultCaps,
  Grant,
  GrantInMode,
  Key,
  Partner,
  Tenant,
} from '../partners/partner-store.ts'
import { columnOf, columns } from './columns.ts'

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
export const grantSelection = columns<Owned<Grant>>('partnerId', 'tenantId', 'perTx', 'perPartnerDay')
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

/** What the key directory reads, in forms that no damaged number keeps from being read. */
const readableNumber = (field: string) => `CAST(${columnOf(field)} AS double precision) AS "${field}"`
export const changedPartnerSelection = `
  ${columns<ChangePosition>('partnerId')}, ${readableNumber('requestsPerSecond')},
  CAST(changed_in AS text) AS "changedIn"`
/** From grants and tenants, joined. */
export const grantInModeSelection = columns<Owned<GrantInMode>>('partnerId', 'tenantId', 'mode')
export const directoryKeySelection = `
  ${columns<Owned<Key>>('partnerId', 'keyId', 'apiKeyHash', 'sealedSecret')},
  ${readableNumber('expiresAt')}, ${readableNumber('revokedAt')}`

export type ChangedPartnerRow = Omit<ChangedPartner, 'changedIn' | 'grants' | 'keys'> & { changedIn: string }

export function changedPartnersOf(
  partners: ChangedPartnerRow[],
  grants: Owned<ChangedPartner['grants'][0]>[],
  keys: Owned<ChangedPartner['keys'][0]>[],
): ChangedPartner[] {
  return partnersOf(partners, grants, keys).map((partner) => ({
    ...partner,
    changedIn: BigInt(partner.changedIn),
  }))
}

export function partnersOf<Row extends { partnerId: string }, G, K>(
  partners: Row[],
  grants: Owned<G>[],
  keys: Owned<K>[],
): (Row & { grants: G[]; keys: K[] })[] {
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
