import { randomBytes } from 'node:crypto'
import type { Database } from '../database.ts'
import type { FollowedLedger } from './followed-ledger.ts'
import { userKey } from './user-hash.ts'

/** Raised when the tables, or what is put into them, change: the read model is then made again from the ledger. */
const version = 4

/** Where the read model is in the ledger, and what it takes to know that it is that ledger. */
export type ReadModelState = {
  /** The place (rowid) of the last entry that was read, and that entry's hash. */
  position: number
  positionHash: Uint8Array | null
  /** The half of the key of addresses that is not in the ledger, and a check of the whole key. */
  userSalt: Uint8Array
  userKeyCheck: string | null
}

/** Every row can be made again from the ledger. What becomes a row of by_user waits in by_user_runs: see user-runs.ts. */
const tables = {
  read_model: `(
    only_row       INTEGER PRIMARY KEY CHECK (only_row = 1),
    version        INTEGER NOT NULL,
    position       INTEGER NOT NULL,
    position_hash  BLOB,
    user_salt      BLOB NOT NULL,
    user_key_check TEXT
  ) STRICT`,
  by_id: '(id48 INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (id48, place)) STRICT, WITHOUT ROWID',
  by_user:
    '(user48 INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (user48, place)) STRICT, WITHOUT ROWID',
  by_user_runs: `(
    run    INTEGER NOT NULL,
    user48 INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    PRIMARY KEY (run, user48, place)
  ) STRICT, WITHOUT ROWID`,
  account_days: `(
    partner_id TEXT NOT NULL,
    tenant_id  TEXT NOT NULL,
    day        INTEGER NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    awards     INTEGER NOT NULL,
    points     INTEGER NOT NULL,
    raw_high   INTEGER NOT NULL,
    raw_low    INTEGER NOT NULL,
    remainder  INTEGER NOT NULL,
    PRIMARY KEY (partner_id, tenant_id, day)
  ) STRICT, WITHOUT ROWID`,
}

/** Null: there is no read model in this file, or one of another version. */
export function readModelState(operator: Database): ReadModelState | null {
  const exists = operator.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'read_model'").get()
  if (exists === undefined) return null
  const row = operator
    .prepare(`
      SELECT position, position_hash AS positionHash, user_salt AS userSalt, user_key_check AS userKeyCheck
      FROM read_model WHERE version = ?`)
    .get(version)
  return (row as ReadModelState | undefined) ?? null
}

/**
 * Whether the position is an entry of this ledger. Its hash has random bytes in it: no other ledger has the same. An
 * import of this ledger may have it there, too, but has another secret.
 */
export function belongsTo(ledger: FollowedLedger, state: ReadModelState): boolean {
  if (state.position === 0) return true
  const hash = ledger.hashAt(state.position)
  if (hash === null || Buffer.compare(hash, state.positionHash!) !== 0) return false
  return userKey(ledger.secret()!, state.userSalt).check === state.userKeyCheck
}

/** Removes what there is and begins with nothing. In a transaction of the caller. */
export function emptyReadModel(operator: Database): void {
  for (const [name, columns] of Object.entries(tables)) {
    operator.exec(`DROP TABLE IF EXISTS ${name}`)
    operator.exec(`CREATE TABLE ${name} ${columns}`)
  }
  const insert = operator.prepare('INSERT INTO read_model VALUES (1, ?, 0, NULL, ?, NULL)')
  insert.run(version, randomBytes(16))
}
