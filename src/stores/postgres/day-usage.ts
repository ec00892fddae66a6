import type { Clock } from '../../clock.ts'
import type { CapUsage, DayUsage } from '../../ledger/measures.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { dayUsageQuery, nearCapQuery, sandboxTenantsQuery } from '../usage-query.ts'
import { type Pool, reading } from './database.ts'

/** On a connection for pages of history: with thousands of accounts it takes milliseconds. */
export async function readDayUsage(pool: Pool, clock: Clock): Promise<DayUsage[]> {
  const { rows } = await reading(pool, clock, (client) =>
    client.query(dayUsageQuery, [vietnamDay(clock.now())]),
  )
  return rows.map(({ partnerId, ratio }) => ({ partnerId, ratio: Number(ratio) }))
}

export async function readCapUsage(pool: Pool, clock: Clock): Promise<CapUsage> {
  return reading(pool, clock, async (client) => {
    const near = await client.query(nearCapQuery, [vietnamDay(clock.now())])
    const sandbox = await client.query(sandboxTenantsQuery)
    return {
      usage: near.rows.map(({ partnerId, tenantId, used, limit }) => ({
        partnerId,
        tenantId,
        used: Number(used),
        limit: Number(limit),
      })),
      sandboxTenants: sandbox.rows.map(({ tenantId }) => tenantId),
    }
  })
}
