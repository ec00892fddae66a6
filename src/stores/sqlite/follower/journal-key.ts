import { journalStatements } from '../../journal-statements.ts'
import type { Database } from '../database.ts'
import { prepareNumbered } from '../numbered-parameters.ts'

/** The sealed key of the journal in this file. Both return the one that it has then. */
export function prepareJournalKey(database: Database) {
  const select = prepareNumbered(database, journalStatements.storedKey)
  const stored = () => select.get()!.sealed as Uint8Array
  return {
    putIfAbsent(ours: Uint8Array): Uint8Array {
      prepareNumbered(database, journalStatements.putKeyIfAbsent).run(ours)
      return stored()
    },
    replace(ours: Uint8Array): Uint8Array {
      prepareNumbered(database, journalStatements.replaceKey).run(ours)
      return stored()
    },
  }
}
