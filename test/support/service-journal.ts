import type { JournalReader } from '../../src/journal/journal-reader.ts'
import { openJournal } from '../../src/stores/open.ts'
import type { StoreToServe } from '../../src/stores/store.ts'
import { eventually } from './eventually.ts'
import type { Lifetime, TestService } from './service.ts'

/** Closed with its test at the latest: the thread of one that a failed test leaves open would never let us end. */
export function aJournalWriter(
  test: Lifetime,
  store: StoreToServe,
  warn: (message: string) => void = () => {},
): ReturnType<StoreToServe['openJournal']> {
  const writer = store.openJournal({ refusalDays: 30, warn })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= writer.close()
    return closing
  }
  test.after(close)
  return { ...writer, close }
}

/** Reads the journal of a service as a command does. */
export async function readJournal<T>(
  { config }: Pick<TestService, 'config'>,
  read: (journal: JournalReader) => Promise<T>,
): Promise<T> {
  const journal = await openJournal(config.database)
  try {
    return await read(journal)
  } finally {
    await journal.close()
  }
}

export const always = { from: 0, to: Number.MAX_SAFE_INTEGER }

/** Waits until the journal has counted this many responses. */
export async function journaled(service: Pick<TestService, 'config'>, responses: number): Promise<void> {
  await eventually(
    `${responses} responses are counted`,
    async () => {
      const [sum] = await readJournal(service, (journal) =>
        journal.counts({ span: 'day', ...always, by: [] }),
      )
      return sum?.responses === responses
    },
    { withinMs: 20_000 },
  )
}
