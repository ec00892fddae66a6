import type { AnswerSources } from '../../../answers/sources.ts'
import type { Clock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { openJournalKey, orderFingerprint } from '../../../journal/journal-key.ts'
import { existingMasterKey } from '../../../open-master-key.ts'
import { openJournal, openOperatorSessions, openQueries, openStore } from '../../../stores/open.ts'
import type { Store } from '../../../stores/store.ts'
import { type Access, createAccess } from '../../access/access.ts'
import type { OperatorSessions } from '../../access/operator-store.ts'
import type { ApiParts, CallParts } from '../parts.ts'
import { createVerifications } from '../verification/verifications.ts'
import { openOnce } from './open-once.ts'

type OpenSources = AnswerSources & { close(): Promise<void> }

type Opened = {
  access: Access
  /** For one request. */
  forCall(): CallParts
  close(): Promise<void>
}

type Needs = { clock: Clock; readings: ApiParts['readings']; warn(message: string): void }

/**
 * Opens the store as the command line does, beside the server. An embedded ledger is opened for each question: that takes a
 * millisecond, and finds files that were made or replaced meanwhile. Connections to a server are kept.
 */
export async function openParts(config: Config, { clock, readings, warn }: Needs): Promise<Opened> {
  const { database } = config
  const cleanup = new AsyncDisposableStack()
  const kept = <T extends { close(): Promise<void> }>(opened: T): T => {
    cleanup.defer(() => opened.close())
    return opened
  }
  try {
    const store: Store = kept(await openStore(database, { create: false }))
    const sessions: OperatorSessions = kept(await openOperatorSessions(database, warn))
    const masterKey = openOnce(async () => existingMasterKey(config))
    const shared = openOnce(async () => kept(await openSources(config, masterKey)))
    const operators = { accounts: store.operators, sessions }
    const access = createAccess(config, { store: operators, clock, masterKey })
    const parts = {
      access,
      partners: async () => store.partners,
      sessions: async () => sessions,
      masterKey,
      readings,
      verifications: createVerifications(database),
    }
    return {
      access,
      forCall() {
        if (database.kind === 'postgres') return { ...parts, sources: shared, close: async () => {} }
        let own: Promise<OpenSources> | null = null
        return {
          ...parts,
          sources: () => (own ??= openSources(config, masterKey)),
          close: async () => (await own?.catch(() => null))?.close(),
        }
      },
      close: () => cleanup.disposeAsync(),
    }
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}

async function openSources({ database }: Config, masterKey: () => Promise<Uint8Array>): Promise<OpenSources> {
  const queries = await openQueries(database)
  const journal = await openJournal(database).catch(async (error) => {
    await queries.close()
    throw error
  })
  const key = openOnce(async () => {
    const sealed = await journal.sealedKey()
    return sealed === null ? null : openJournalKey(await masterKey(), sealed)
  })
  return {
    queries,
    journal,
    async fingerprintOf(orderId) {
      const opened = await key()
      return opened === null ? null : orderFingerprint(opened, orderId)
    },
    async close() {
      await journal.close()
      await queries.close()
    },
  }
}
