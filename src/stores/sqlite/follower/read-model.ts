import { type Database, inTransaction } from '../database.ts'
import { accountDayRowsOf, accountDayValues } from './account-day-rows.ts'
import type { FollowedEntry, FollowedLedger } from './followed-ledger.ts'
import { belongsTo, emptyReadModel, readModelState } from './read-model-tables.ts'
import { idPrefix, type UserKey, userHash, userKey } from './user-hash.ts'

export type ReadModel = {
  /** Takes the next entries, at most `entriesMax`, and returns how many. Fewer than that: it has caught up. */
  follow(): number
  entriesMax: number
}

type Sizes = {
  /** Of one step. Its writes are one transaction, in which the journal cannot write. */
  entriesMax: number
  /** Of one read of the ledger. */
  readMax: number
  /** Rows that wait in by_user_new before they are moved. More would make its own pages many, fewer are moved more often. */
  newMax: number
  /** The rows are moved in as many parts, each in a transaction of its own. */
  parts: number
}

const usualSizes: Sizes = { entriesMax: 4_096, readMax: 1_024, newMax: 262_144, parts: 64 }

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
): ReadModel {
  const { entriesMax, readMax, newMax, parts } = { ...usualSizes, ...sizes }
  let state = readModelState(operator)
  if (state === null || !belongsTo(ledger, state)) {
    inTransaction(operator, () => emptyReadModel(operator))
    state = readModelState(operator)!
  }
  let { position } = state
  const { userSalt } = state
  let key: UserKey | null = null
  const insertId = operator.prepare('INSERT INTO by_id VALUES (?, ?)')
  const insertUser = operator.prepare('INSERT INTO by_user_new VALUES (?, ?)')
  const addDays = prepareAddDays(operator)
  const savePosition = operator.prepare(
    'UPDATE read_model SET position = ?, position_hash = ?, user_key_check = ?',
  )
  const users = prepareMoves(operator, { newMax, parts })

  function follow(): number {
    const entries = nextEntries()
    if (entries.length === 0) {
      users.moveSome(0)
      return 0
    }
    key ??= userKey(ledger.secret()!, userSalt)
    const last = entries.at(-1)!.place
    const lastHash = ledger.hashAt(last)
    inTransaction(operator, () => {
      write(entries, key!)
      savePosition.run(last, lastHash, key!.check)
    })
    position = last
    users.added(entries.length)
    users.moveSome(entries.length)
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
    for (const { epTransactionId, place } of entries) {
      const prefix = idPrefix(epTransactionId)
      if (prefix !== null) insertId.run(prefix, place)
    }
    const hashes = entries.map(({ tenantId, userEmail, place }) => ({
      hash: userHash(key, tenantId, userEmail),
      place,
    }))
    // In the order of the table: each of its pages is then looked up and changed once.
    hashes.sort((one, other) => (one.hash < other.hash ? -1 : one.hash > other.hash ? 1 : 0))
    for (const { hash, place } of hashes) insertUser.run(hash, place)
    addDays(entries)
  }

  return { follow, entriesMax }
}

function prepareAddDays(operator: Database): (entries: FollowedEntry[]) => void {
  const add = operator.prepare(`
    INSERT INTO account_days VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, awards = awards + excluded.awards,
      points = points + excluded.points, raw_high = raw_high + excluded.raw_high, raw_low = raw_low + excluded.raw_low,
      remainder = remainder + excluded.remainder`)
  return (entries) => {
    for (const row of accountDayRowsOf(entries)) add.run(...accountDayValues(row))
  }
}

/** Hashes are spread evenly, so that equal ranges of them have about as many rows. */
function prepareMoves(operator: Database, { newMax, parts }: Pick<Sizes, 'newMax' | 'parts'>) {
  const insert = operator.prepare(
    'INSERT INTO by_user SELECT user64, place FROM by_user_new WHERE user64 BETWEEN ? AND ? ORDER BY user64, place',
  )
  const remove = operator.prepare('DELETE FROM by_user_new WHERE user64 BETWEEN ? AND ?')
  const width = 2n ** 64n / BigInt(parts)
  let waiting = operator.prepare('SELECT count(*) AS count FROM by_user_new').get()!.count as number
  let part = parts

  function moveNext(): number {
    const from = -(2n ** 63n) + width * BigInt(part)
    const upTo = from + width - 1n
    part++
    return inTransaction(operator, () => {
      insert.run(from, upTo)
      return Number(remove.run(from, upTo).changes)
    })
  }

  return {
    added(count: number) {
      waiting += count
      if (waiting >= newMax && part === parts) part = 0
    },
    /** Twice as many as were added, so that it comes to an end under any load. */
    moveSome(added: number) {
      let moved = 0
      while (part < parts && moved <= added * 2) moved += moveNext()
      waiting -= moved
    },
  }
}
