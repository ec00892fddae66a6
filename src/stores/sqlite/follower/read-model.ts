import { type Database, inTransaction } from '../database.ts'
import { accountDayColumns, accountDayRowsOf, accountDayValues } from './account-day-rows.ts'
import type { FollowedEntry, FollowedLedger } from './followed-ledger.ts'
import { prepareInsertRows } from './insert-rows.ts'
import { belongsTo, emptyReadModel, readModelState } from './read-model-tables.ts'
import { idPrefix, type UserKey, userHash, userKey } from './user-hash.ts'
import { prepareUserRuns, type RunSizes } from './user-runs.ts'

export type ReadModel = {
  /** One short step. Returns how many rows it has taken or moved; 0: it has caught up. */
  follow(): number
  /** The place of the last entry that it has. */
  position(): number
}

type Sizes = {
  /**
   * Of one step. Its writes are one transaction, in which the journal cannot write: with more than some 100 ms of work, a
   * kill could lose more than a second of the journal.
   */
  entriesMax: number
  /** Of one read of the ledger. */
  readMax: number
} & RunSizes

const usualSizes: Sizes = {
  entriesMax: 8_192,
  readMax: 1_024,
  rowsMax: 262_144,
  runsMax: 128,
  moveMax: 4_096,
}

/**
 * What the ledger has no index for: entries by id and by user, and the sums of each account and day. It follows the
 * ledger step by step. Its position is committed together with the rows, so that a kill at any time loses nothing and
 * counts nothing twice. If the file was made for another ledger, or for this one before a backup was restored, it begins
 * with nothing.
 */
export function openReadModel(
  operator: Database,
  ledger: FollowedLedger,
  sizes: Partial<Sizes> = {},
  warn: (message: string) => void = () => {},
): ReadModel {
  const { entriesMax, readMax, ...runSizes } = { ...usualSizes, ...sizes }
  let state = readModelState(operator)
  if (state === null || !belongsTo(ledger, state)) {
    if (state !== null) warn(lostEntries)
    inTransaction(operator, () => emptyReadModel(operator))
    state = readModelState(operator)!
  }
  let { position } = state
  const { userSalt } = state
  let key: UserKey | null = null
  const insertIds = prepareInsertRows(operator, { table: 'by_id', columns: 2 })
  const addDays = prepareAddDays(operator)
  const savePosition = operator.prepare(
    'UPDATE read_model SET position = ?, position_hash = ?, user_key_check = ?',
  )
  const users = prepareUserRuns(operator, runSizes)

  function follow(): number {
    if (users.isMoveDue()) return users.moveNext()
    const entries = nextEntries()
    if (entries.length === 0) return users.moveNext()
    key ??= userKey(ledger.secret()!, userSalt)
    const last = entries.at(-1)!.place
    const lastHash = ledger.hashAt(last)
    inTransaction(operator, () => {
      write(entries, key!)
      savePosition.run(last, lastHash, key!.check)
    })
    position = last
    users.added(entries.length)
    return entries.length
  }

  function nextEntries(): FollowedEntry[] {
    const entries: FollowedEntry[] = []
    while (entries.length < entriesMax) {
      const wanted = Math.min(readMax, entriesMax - entries.length)
      const read = ledger.entriesAfter(entries.at(-1)?.place ?? position, wanted)
      entries.push(...read)
      if (read.length < wanted) break
    }
    return entries
  }

  function write(entries: FollowedEntry[], key: UserKey): void {
    const ids: number[][] = []
    for (const { epTransactionId, place } of entries) {
      const prefix = idPrefix(epTransactionId)
      if (prefix !== null) ids.push([prefix, place])
    }
    insertIds(ids.sort(([a], [b]) => a! - b!))
    users.add(
      entries.map(({ tenantId, userEmail, place }) => ({
        hash: userHash(key, tenantId, userEmail),
        place,
      })),
    )
    addDays(entries)
  }

  return { follow, position: () => position }
}

/** SQLite drops what follows a damaged place of its log, and nothing else would say so: what is left is sound. */
const lostEntries =
  'the ledger does not have the last entry that was read from it: it was restored from a backup, or its newest awards are lost, because its log was damaged. If nobody has restored it, stop the server, keep a copy of the folder, and compare the ledger with a backup and with the lists of your partners. In both cases changes by operators may be lost, too: a revoked key or token, or a suspended partner, may work again. Repeat them'

function prepareAddDays(operator: Database): (entries: FollowedEntry[]) => void {
  const add = prepareInsertRows(operator, {
    table: 'account_days',
    columns: accountDayColumns,
    onConflict: `ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, awards = awards + excluded.awards,
      points = points + excluded.points, raw_high = raw_high + excluded.raw_high, raw_low = raw_low + excluded.raw_low,
      remainder = remainder + excluded.remainder`,
  })
  return (entries) => add(accountDayRowsOf(entries).map(accountDayValues))
}
