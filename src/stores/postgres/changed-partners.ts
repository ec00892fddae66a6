import type { ChangedPartner, ChangePosition } from '../../partners/partner-store.ts'
import { changedPartnersOf, directoryKeySelection, grantInModeSelection } from '../partner-rows.ts'
import { partnerStatements as sql } from '../partner-statements.ts'
import { silentMaxMs } from './batch-kind.ts'
import type { Client } from './database.ts'

/** One page of partners in the order of their last change, with their grants and keys. */
export async function readChangedPartners(
  client: Client,
  { changedIn, partnerId }: ChangePosition,
  limit: number,
): Promise<ChangedPartner[]> {
  const read = async (text: string, values: unknown[]) => {
    const statement = { text, values, query_timeout: silentMaxMs }
    return (await client.query(statement)).rows
  }
  const partners = await read(sql.selectChangedPartners, [changedIn, partnerId, limit])
  const ids = partners.map((partner) => partner.partnerId)
  const rowsOf = async (selection: string, table: string, order: string) =>
    read(`SELECT ${selection} FROM ${table} WHERE partner_id = ANY($1::text[]) ORDER BY ${order}`, [ids])
  return changedPartnersOf(
    partners,
    await rowsOf(grantInModeSelection, 'grants JOIN tenants USING (tenant_id)', 'tenant_id'),
    await rowsOf(directoryKeySelection, 'keys', 'created_at, key_id'),
  )
}

/** With the version that this transaction has raised the settings to. */
export async function markChanged(client: Client, partnerId: string, version: number): Promise<void> {
  await client.query(sql.markPartnerChanged, [partnerId, version])
}
