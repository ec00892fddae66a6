import { decideBatch, type Outcome } from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import { prepareFacts } from './batch-facts.ts'
import { prepareWrite } from './batch-write.ts'
import { type Database, inTransaction } from './database.ts'
import { prepareKnownAccounts } from './known-accounts.ts'

/** One batch in one transaction: load the facts, decide in memory, append, COMMIT. Awards are credited here and nowhere else. */
export function prepareCommit(database: Database) {
  const accounts = prepareKnownAccounts(database)
  const loadFacts = prepareFacts(database, accounts)
  const write = prepareWrite(database)
  return (commands: AwardCommand[], now: number): Outcome[] => {
    const decision = inTransaction(database, () => {
      const decision = decideBatch(commands, loadFacts(commands, now), now)
      write(decision)
      return decision
    })
    accounts.keep(decision.accounts)
    return decision.outcomes
  }
}
