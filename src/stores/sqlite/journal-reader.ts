import { existsSync } from 'node:fs'
import type { JournalReader } from '../../journal/journal-reader.ts'
import { journalReader } from '../journal-queries.ts'
import { busyTimeoutMs, Database } from './database.ts'
import { operatorFileOf } from './follower/operator-file.ts'
import { isEmpty } from './migrate.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/** The journal of a ledger, beside a running server or without one. Before the first server there is none. */
export function openJournalReader(path: string): JournalReader {
  const file = operatorFileOf(path)
  if (!existsSync(file)) return emptyJournal
  const database = new Database(file, { readOnly: true, timeout: busyTimeoutMs })
  return journalReader(
    async (sql, values) => {
      try {
        // A server is just making the file.
        if (isEmpty(database)) return []
        return prepareNumbered(database, sql)
          .all(...values)
          .map((row) => ({ ...row }))
      } catch (error) {
        throw new Error(
          `the journal in ${file} cannot be read (${(error as Error).message}): a server that starts on the ledger repairs it or begins a new one`,
          { cause: error },
        )
      }
    },
    async () => database.close(),
  )
}

const emptyJournal: JournalReader = {
  begin: async () => ({ counts: null, refusals: null }),
  counts: async () => [],
  refusals: async () => [],
  keyUses: async () => [],
  alerts: async () => [],
  sealedKey: async () => null,
  close: async () => {},
}
