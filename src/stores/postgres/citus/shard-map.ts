import type { Commit } from '../../../ledger/commit-batch.ts'
import type { AccountId } from '../../../rules/cursor.ts'
import { type Pool, sqlStateOf, withClient } from '../database.ts'

/**
 * On which shards accounts and users' counters are, so that a commit can take accounts of one shard. Nothing depends
 * on its being right: Citus refuses a batch that is on several shards, and then each account is committed by itself.
 * A shard keeps its id when it moves to another node; when it is split, its parts have new ones.
 */
export type ShardMap = {
  /** Of the lanes of these accounts: those on one shard have the same. */
  groupOf(account: AccountId): string
  ofTenant(tenantId: string): string
  /** It was wrong. */
  forget(): void
}

/** Ids come from signed requests, so that there are at most as many as partners and tenants; this is a bound all the same. */
const knownMax = 100_000

export function createShardMap(pool: Pool): ShardMap {
  const accounts = new KnownShards(pool, 'accounts')
  const userDays = new KnownShards(pool, 'user_days')
  return {
    groupOf({ partnerId, tenantId }) {
      userDays.of(tenantId) // so that it is known when the batch needs it
      return accounts.of(partnerId)
    },
    ofTenant: (tenantId) => userDays.of(tenantId),
    forget() {
      accounts.forget()
      userDays.forget()
    },
  }
}

/** For callers with one account at a time. */
export const noShardMap: ShardMap = {
  groupOf: ({ partnerId }) => partnerId,
  ofTenant: (tenantId) => tenantId,
  forget: () => {},
}

/** Of one table, by the value of its distribution column. An unknown value is a shard of its own until it was looked up. */
class KnownShards {
  readonly #pool: Pool
  readonly #table: string
  #known = new Map<string, string>()
  #wanted = new Set<string>()
  #asking: Promise<void> | null = null

  constructor(pool: Pool, table: string) {
    this.#pool = pool
    this.#table = table
  }

  of(value: string): string {
    const known = this.#known.get(value)
    if (known !== undefined) return known
    this.#wanted.add(value)
    this.#asking ??= this.#lookUp().finally(() => {
      this.#asking = null
    })
    return `only ${value}`
  }

  forget(): void {
    this.#known = new Map()
  }

  async #lookUp(): Promise<void> {
    // After `forget`, an answer to an older question is dropped.
    while (this.#wanted.size > 0) {
      const known = this.#known
      const values = [...this.#wanted]
      this.#wanted = new Set()
      try {
        for (const { value, shard } of await this.#ask(values)) known.set(value, shard)
      } catch {
        break // the next award asks again
      }
      if (known.size > knownMax) this.forget()
    }
  }

  async #ask(values: string[]): Promise<{ value: string; shard: string }[]> {
    const { rows } = await withClient(this.#pool, (client) =>
      client.query(
        `SELECT value, get_shard_id_for_distribution_column($1::regclass, value)::text AS shard
         FROM pg_catalog.unnest($2::text[]) AS value`,
        [this.#table, values],
      ),
    )
    return rows
  }
}

/** The batch was on several shards. Nothing of it was written: its lanes commit one by one, and are asked for again. */
export function forgetWhenRefused(commit: Commit, shards: ShardMap): Commit {
  return async (...batch) => {
    try {
      return await commit(...batch)
    } catch (error) {
      if (sqlStateOf(error) === featureNotSupported) shards.forget()
      throw error
    }
  }
}

/** Of all that we send, Citus refuses only the lock of rows on several shards. */
const featureNotSupported = '0A000'
