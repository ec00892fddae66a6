import { existsSync } from 'node:fs'
import type { AccountFilter, Period } from '../../../answers/ledger-queries.ts'
import type { AccountId } from '../../../rules/cursor.ts'
import { Database } from '../database.ts'
import { type AccountDayRow, accountDaySelection } from './account-day-rows.ts'
import { type FollowedDays, noFollowedDays, readFollowedDays } from './followed-days.ts'
import { type FollowedLedger, followLedger } from './followed-ledger.ts'
import { belongsTo, type ReadModelState, readModelState } from './read-model-tables.ts'
import { readableRows } from './readable-rows.ts'
import { idPrefix, userHash, userKey } from './user-hash.ts'
import { placesInRuns } from './user-runs.ts'

type User = { tenantId: string; userEmail: string }

/**
 * Places where entries may be: hashes of two users, and the beginnings of two ids, can be the same. Whatever is behind
 * `position` is not in the read model yet.
 */
export type Places = { position: number; places: number[] }

export const nowhere: Places = { position: 0, places: [] }

/** The read model, as a search uses it. Each call is one short read. */
export type EntryPlaces = {
  ofId(epTransactionId: string): Places
  /** The last `limit` places of each of these users. */
  ofUsers(users: User[], limit: number): Places
  accountDays(filter: AccountFilter & Period): FollowedDays
  accountDay(account: AccountId, day: number): AccountDayRow | undefined
  close(): void
}

/** A search can do without the read model, but it has to read more. `why` says what is missing. */
export type MissingPlaces = { why: string }

export function openPlaces(operatorFile: string, ledger: Database): EntryPlaces | MissingPlaces {
  if (!existsSync(operatorFile))
    return { why: `${operatorFile} does not exist yet: a running server makes it` }
  try {
    const operator = new Database(operatorFile, { readOnly: true, timeout: 2000 })
    const found = placesIn(operator, operatorFile, followLedger(ledger))
    if ('why' in found) operator.close()
    return found
  } catch (error) {
    return { why: `${operatorFile} cannot be read: ${(error as Error).message}` }
  }
}

function placesIn(operator: Database, file: string, ledger: FollowedLedger): EntryPlaces | MissingPlaces {
  const first = readModelState(operator)
  if (first === null) return { why: 'it has no search index of this version yet: a running server makes it' }
  if (!belongsTo(ledger, first))
    return { why: 'its search index was made for another ledger: a running server makes a new one' }
  const byId = operator.prepare('SELECT place FROM by_id WHERE id48 = ?')
  const byUser = ['SELECT place FROM by_user WHERE user48 = ? ORDER BY place DESC LIMIT ?', placesInRuns].map(
    (select) => operator.prepare(select),
  )
  const byDay = operator.prepare(
    `SELECT ${accountDaySelection} FROM account_days WHERE partner_id = ? AND tenant_id = ? AND day = ?`,
  )

  /** One transaction, so that what is read is that of the position. */
  function read<T>(empty: T, work: (state: ReadModelState) => T): T {
    operator.exec('BEGIN')
    try {
      return readableRows(file, () => {
        const state = readModelState(operator)
        return state === null || state.position === 0 ? empty : work(state)
      })
    } finally {
      operator.exec('ROLLBACK')
    }
  }
  const placesOf = (select: Statement, ...values: number[]) =>
    select.all(...values).map(({ place }) => place as number)

  return {
    ofId: (epTransactionId) =>
      read(nowhere, ({ position }) => {
        const prefix = idPrefix(epTransactionId)
        return { position, places: prefix === null ? [] : placesOf(byId, prefix) }
      }),
    ofUsers: (users, limit) =>
      read(nowhere, ({ position, userSalt }) => {
        const key = userKey(ledger.secret()!, userSalt)
        const places = users.flatMap(({ tenantId, userEmail }) => {
          const hash = userHash(key, tenantId, userEmail)
          return byUser.flatMap((select) => placesOf(select, hash, limit))
        })
        return { position, places: [...new Set(places)] }
      }),
    accountDays: (filter) => read(noFollowedDays, () => readFollowedDays(operator, filter)),
    accountDay: ({ partnerId, tenantId }, day) =>
      byDay.get(partnerId, tenantId, day) as AccountDayRow | undefined,
    close: () => operator.close(),
  }
}

type Statement = ReturnType<Database['prepare']>
