import { existsSync } from 'node:fs'
import type { JournalReader } from '../../journal/journal-reader.ts'
import { Damaged, Unavailable } from '../../ledger/errors.ts'
import { journalReader } from '../journal-queries.ts'
import { asUnavailable, Database } from './database.ts'
import { operatorFileOf, unusable } from './follower/operator-file.ts'
import { readableRows } from './follower/readable-rows.ts'
import { isEmpty } from './migrate.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { busyTimeoutMs } from './until-not-busy.ts'

/**
 * The journal of a ledger, beside a running server or without one. Before the first server, or while it is just making the
 * file, the journal is empty.
 */
export function openJournalReader(path: string): JournalReader {
  const file = operatorFileOf(path)
  let opened: Database | null = null

  function read(sql: string, values: (string | number | readonly string[])[]): Record<string, unknown>[] {
    if (opened === null && !existsSync(file)) return []
    opened ??= new Database(file, { readOnly: true, timeout: busyTimeoutMs })
    if (isEmpty(opened)) return []
    return prepareNumbered(opened, sql)
      .all(...values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)))
      .map((row) => ({ ...row }))
  }

  return journalReader({
    async read(sql, values) {
      try {
        return readableRows(file, () => read(sql, values))
      } catch (error) {
        if (error instanceof Damaged) throw error
        const failure = `the journal in ${file} cannot be read (${(error as Error).message})`
        if (unusable(error) === null && asUnavailable(error) instanceof Unavailable)
          throw new Unavailable(failure, { cause: error })
        throw new Error(`${failure}: start the server, which begins a new one if this one is damaged`, {
          cause: error,
        })
      }
    },
    isNoneOf: (column, parameter) => `${column} NOT IN (SELECT value FROM json_each(${parameter}))`,
    close: async () => opened?.close(),
  })
}
