import type { AnswerSources } from '../../src/answers/sources.ts'
import { openJournalKey, orderFingerprint } from '../../src/journal/journal-key.ts'
import { openJournal, openQueries } from '../../src/stores/open.ts'
import type { TestService } from './service.ts'

/** Asks as an operator does, beside the running service. */
export async function asking<T>(
  { config }: Pick<TestService, 'config'>,
  ask: (sources: AnswerSources) => Promise<T>,
): Promise<T> {
  const queries = await openQueries(config.database)
  const journal = await openJournal(config.database)
  async function fingerprintOf(orderId: string): Promise<string | null> {
    const sealed = await journal.sealedKey()
    return sealed === null ? null : orderFingerprint(openJournalKey(config.masterKey!, sealed), orderId)
  }
  try {
    return await ask({ queries, journal, fingerprintOf })
  } finally {
    await queries.close()
    await journal.close()
  }
}
