import type { Listed, ShownPartner } from '../answers/ledger-queries.ts'
import { Damaged } from '../ledger/errors.ts'
import type { Tenant } from '../partners/partner-store.ts'
import { damagedRow } from './damaged-row.ts'

type Reads<Row, Known> = {
  all(): Promise<Row[]>
  /** The columns of text, which can always be read. */
  known(): Promise<Known[]>
  one(known: Known): Promise<Row[]>
}

/** Reads all rows at once. Only if one of them is damaged, reads them one by one. */
export async function listedRows<Row, Known>(reads: Reads<Row, Known>): Promise<Listed<Row, Known>> {
  try {
    return { sound: await reads.all(), damaged: [] }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
  }
  const listed: Listed<Row, Known> = { sound: [], damaged: [] }
  for (const known of await reads.known()) {
    try {
      listed.sound.push(...(await reads.one(known)))
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      listed.damaged.push({ ...known, problem: error.message })
    }
  }
  return listed
}

/** The last millisecond that a date can have. */
const timeMax = 8_640_000_000_000_000

export function withTimesOfPartner(partner: ShownPartner): ShownPartner {
  assertTimes('partners', [partner.createdAt])
  for (const { createdAt, expiresAt, revokedAt } of partner.keys)
    assertTimes('keys', [createdAt, expiresAt ?? 0, revokedAt ?? 0])
  return partner
}

export function withTimesOfTenant(tenant: Tenant): Tenant {
  assertTimes('tenants', [tenant.createdAt])
  return tenant
}

function assertTimes(table: string, times: number[]): void {
  const beyond = times.find((time) => Math.abs(time) > timeMax)
  if (beyond !== undefined) throw damagedRow(table, String(beyond))
}
