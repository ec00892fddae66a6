import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export type Migration = { name: string; sha256: string; sql: string }
export type AppliedMigration = Pick<Migration, 'name' | 'sha256'>

/** The migrations of a store in their order. */
export function readMigrations(folder: URL): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8')
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    })
}

/**
 * What a database still lacks. One that was changed by a newer program, or by a file that has been edited since, is
 * refused: it would be read wrongly.
 */
export function pendingMigrations(ours: Migration[], applied: AppliedMigration[]): Migration[] {
  for (const { name, sha256 } of applied) {
    const known = ours.find((migration) => migration.name === name)
    if (known === undefined) {
      throw new Error(
        `the database is from a newer version of this program (it has ${name}): run that version`,
      )
    }
    if (known.sha256 !== sha256) {
      throw new Error(`migration ${name} was edited after this database was made: restore the file`)
    }
  }
  return ours.filter(({ name }) => !applied.some((done) => done.name === name))
}
