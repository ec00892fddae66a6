import pg from 'pg'

/** Runs statements on a new connection; returns the rows of the last one. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself, by its assertions, what the rows must be
export async function runSql(url: string, sql: string): Promise<any[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return [await client.query(sql)].flat().at(-1)!.rows
  } finally {
    await client.end()
  }
}
