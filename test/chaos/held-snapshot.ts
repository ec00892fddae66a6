import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** Another program that holds a snapshot of this moment: a backup, a report, a forgotten shell. */
export async function holdSnapshot(
  url: string,
): Promise<{ end(): Promise<{ readsDone: number; violations: string[] }> }> {
  const release = url.startsWith('sqlite:') ? holdFile(url.slice('sqlite:'.length)) : await holdSession(url)
  return {
    async end() {
      await release()
      return { readsDone: 0, violations: [] }
    },
  }
}

function holdFile(path: string): () => void {
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN; SELECT count(*) FROM accounts')
  return () => reader.close()
}

async function holdSession(url: string): Promise<() => Promise<void>> {
  const session = new pg.Client(url)
  await session.connect()
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts')
  return () => session.end()
}
