import type { KnownPartner, KnownTenant, ShownPartner } from '../answers/ledger-queries.ts'
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
/** The columns of text: they can be read in a row that is damaged. */
export const knownPartnerSelection = columns<KnownPartner>('partnerId', 'name', 'status')
export const knownTenantSelection = columns<KnownTenant>('tenantId', 'mode')
export const defaultCapsSelection = columns<DefaultCaps>('perTx', 'perPartnerDay', 'perUserDay', 'setAt')

/** What the key directory reads. Numbers as text: no damaged one keeps it from being read, and no setting rounds one. */
const asText = (field: string) => `CAST(${columnOf(field)} AS text) AS "${field}"`
export const changedPartnerSelection = `
  ${columns<ChangePosition>('partnerId')}, ${asText('requestsPerSecond')}, ${asText('changedIn')}`
/** From grants and tenants, joined. */
export const grantInModeSelection = columns<Owned<GrantInMode>>('partnerId', 'tenantId', 'mode')
export const directoryKeySelection = `
  ${columns<Owned<Key>>('partnerId', 'keyId', 'apiKeyHash', 'sealedSecret')},
  ${asText('expiresAt')}, ${asText('revokedAt')}`

type ChangedKey = ChangedPartner['keys'][0]
export type ChangedPartnerRow = { partnerId: string; changedIn: string; requestsPerSecond: string | null }
export type ChangedKeyRow = Owned<Omit<ChangedKey, 'expiresAt' | 'revokedAt'>> & {
  expiresAt: string | null
  revokedAt: string | null
}

export function changedPartnersOf(
  partners: ChangedPartnerRow[],
  grants: Owned<ChangedPartner['grants'][0]>[],
  keys: ChangedKeyRow[],
): ChangedPartner[] {
  return partnersOf(partners, grants, keys.map(changedKeyOf)).map((partner) => ({
    ...partner,
    changedIn: BigInt(partner.changedIn),
    requestsPerSecond: numberOf(partner.requestsPerSecond),
  }))
}

function changedKeyOf({ expiresAt, revokedAt, ...key }: ChangedKeyRow): Owned<ChangedKey> {
  return { ...key, expiresAt: numberOf(expiresAt), revokedAt: numberOf(revokedAt) }
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text)
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
