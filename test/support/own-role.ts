import { randomBytes } from 'node:crypto'
import { freshPostgres, runSql } from './fresh-database.ts'

/** A fresh database, used by a role of its own, which is removed with it. `url` is the role's; `options` are of CREATE ROLE. */
export async function databaseOfOwnRole(options = '') {
  const fresh = await freshPostgres()
  const role = `role_${randomBytes(6).toString('hex')}`
  await runSql(
    fresh.url,
    `CREATE ROLE ${role} LOGIN PASSWORD 'test' ${options}; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`,
  )
  const url = Object.assign(new URL(fresh.url), { username: role, password: 'test' }).href
  const database = {
    ...fresh,
    async remove() {
      await runSql(fresh.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
      await fresh.remove()
    },
  }
  return { database, role, url }
}
