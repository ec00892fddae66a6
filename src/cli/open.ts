import { hostname, userInfo } from 'node:os'
import type { Command } from 'commander'
import type { LedgerQueries } from '../answers/ledger-queries.ts'
import type { AnswerSources } from '../answers/sources.ts'
import { systemClock } from '../clock.ts'
import { type Config, ConfigError, isReasonRequired, readConfig, readEnvironment } from '../config.ts'
import type { OperatorAccounts } from '../operator/access/operator-store.ts'
import type { Operator } from '../partners/operator.ts'
import type { PartnerStore } from '../partners/partner-store.ts'
import { openJournalKey, orderFingerprint } from '../journal/journal-key.ts'
import { existingMasterKey, openMasterKey } from '../open-master-key.ts'
import { openJournal, openQueries, openStore } from '../stores/open.ts'
import { progressBar } from './progress.ts'
import { reasonFor } from './reason.ts'

export type DatabaseOptions = { databaseUrl?: string; json?: boolean }
/** The options of a command that changes something. */
export type ChangeOptions = DatabaseOptions & { reason?: string }

/** Every command that works on the database takes these. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .option('--database-url <url>', 'the ledger to work on (DATABASE_URL)')
    .option('--json', 'print one JSON document')
}

/** Every command that changes something takes these. */
export function withChangeOptions(command: Command): Command {
  return withDatabaseOptions(command).option('--reason <text>', 'why, for the audit trail')
}

/** What a command works with. The master key is loaded, and checked, only by commands that create a secret. */
type Session = { operator: Operator; operators: OperatorAccounts; masterKey(): Promise<Uint8Array> }

/** For commands that change something. If a required reason is missing, nothing is opened. */
export async function withDatabase<T>(
  options: ChangeOptions,
  work: (session: Session) => Promise<T>,
  { create = false } = {},
): Promise<T> {
  const config = configOf(options)
  const reason = await reasonFor(options, { isRequired: isReasonRequired(readEnvironment()) })
  const store = await openStore(config.database, { create, warn })
  const progress = progressBar('waiting for the awards in flight')
  try {
    const operator: Operator = {
      ...operatorHere(store.partners),
      reason,
      onProgress: progress.show,
    }
    return await work({
      operator,
      operators: store.operators,
      masterKey: () => openMasterKey(config, store.partners),
    })
  } finally {
    progress.end()
    await store.close()
  }
}

/** On standard error: what a command prints may be read by a program. */
export function warn(message: string): void {
  console.error(`partner-credit: ${message}`)
}

/** For commands that answer a question: nothing can be written. */
export async function withQueries<T>(
  options: DatabaseOptions,
  work: (queries: LedgerQueries) => Promise<T>,
): Promise<T> {
  const queries = await openQueries(configOf(options).database)
  try {
    return await work(queries)
  } finally {
    await queries.close()
  }
}

type JournalKey = ReturnType<typeof openJournalKey>

/** The same for commands that also ask the journal. */
export async function withJournal<T>(
  options: DatabaseOptions,
  work: (sources: AnswerSources) => Promise<T>,
): Promise<T> {
  return withQueries(options, async (queries) => {
    const config = configOf(options)
    const journal = await openJournal(config.database)
    let key: Promise<JournalKey | null> | undefined
    async function openKey(): Promise<JournalKey | null> {
      const sealed = await journal.sealedKey()
      return sealed === null ? null : openJournalKey(masterKeyToRead(config), sealed)
    }
    try {
      return await work({
        queries,
        journal,
        async fingerprintOf(orderId) {
          key ??= openKey()
          const opened = await key
          return opened === null ? null : orderFingerprint(opened, orderId)
        },
      })
    } finally {
      await journal.close()
    }
  })
}

/** Without it, the answer says so in a sentence, where the list of a `ConfigError` has no place. */
function masterKeyToRead(config: Config): Uint8Array {
  try {
    return existingMasterKey(config)
  } catch (error) {
    throw error instanceof ConfigError ? new Error(error.problems.join(', '), { cause: error }) : error
  }
}

/** The user who runs this command. */
export function operatorHere(store: PartnerStore): Operator {
  const actor = `cli:${userName()}`
  return { store, actor, now: systemClock.now(), origin: 'command line', address: hostname() }
}

/** A container may run as a user that has no name: then its number. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.geteuid!()}`
  }
}

export function configOf({ databaseUrl }: DatabaseOptions): Config {
  const environment = readEnvironment()
  const settings = { ...environment, DATABASE_URL: databaseUrl ?? environment.DATABASE_URL }
  return readConfig(settings, { masterKey: false })
}
