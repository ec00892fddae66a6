import { match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { createPartner } from '../../../src/partners/create-partner.ts'
import { openPool, withClient } from '../../../src/stores/postgres/database.ts'
import {
  migratePostgres,
  openPostgres,
  readPostgres,
  servePostgres,
} from '../../../src/stores/postgres/open.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql, serverUrl } from '../../support/fresh-database.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'

const password = 'very-secret-words'

test('a DATABASE_URL that does not work', async (t) => {
  const database = await freshPostgres()
  const role = `role_${process.pid}`
  await runSql(database.url, `CREATE ROLE ${role} LOGIN PASSWORD '${password}' CONNECTION LIMIT 0`)
  t.after(async () => {
    await runSql(serverUrl(), `DROP ROLE ${role}`)
    await database.remove()
  })
  const changed = (parts: Partial<Record<'pathname' | 'username' | 'password' | 'port' | 'host', string>>) =>
    Object.assign(new URL(database.url), { password, ...parts })
  const proper = new URL(database.url).password
  const withQuery = (query: string) => `${database.url}?${query}`

  const cases: [what: string, url: string, words: RegExp][] = [
    [
      'no such database',
      changed({ pathname: '/nowhere', password: proper }).href,
      /no database "nowhere".*Create it/,
    ],
    ['a wrong password', changed({}).href, /does not accept this password for the role "postgres"/],
    ['no such role', changed({ username: 'nobody' }).href, /the role "nobody"/],
    ['no password', changed({ password: '' }).href, /password/],
    ['an unknown host', changed({ host: 'nowhere.invalid:5432' }).href, /nowhere\.invalid:5432 is not known/],
    [
      'a port where nothing listens',
      changed({ port: '1' }).href,
      /nothing listens on .*:1\. Start PostgreSQL/,
    ],
    [
      'a host and a port in parameters, which count before those of the URL',
      withQuery('host=127.0.0.2&port=1'),
      /nothing listens on 127\.0\.0\.2:1\. /,
    ],
    [
      'a socket in a parameter',
      withQuery('host=/nowhere'),
      /nothing listens on \/nowhere\/\.s\.PGSQL\.\d+\. /,
    ],
    [
      'a socket in place of the host',
      'postgres://postgres@%2Fnowhere/postgres',
      /nothing listens on \/nowhere\/\.s\.PGSQL\.5432\. /,
    ],
    ['a role in a parameter', withQuery('user=nobody&password=x'), /the role "nobody"/],
    ['TLS where there is none', withQuery('sslmode=require'), /has no TLS/],
    ['a file that is not there', withQuery('sslrootcert=/nowhere.pem'), /ENOENT.*\/nowhere\.pem/],
    ['no connection left', changed({ username: role }).href, /no connection left.*max_connections/],
  ]
  for (const [what, url, words] of cases) {
    await t.test(
      `${what}: every command names the cause and what to do, and never the password`,
      async () => {
        const starts = [
          () => servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} }),
          () => openPostgres(url),
          () => readPostgres(url),
          () => migratePostgres(url),
        ]
        for (const start of starts) {
          await rejects(start, (error: Error) => {
            match(error.message, /^the database cannot be reached: /)
            match(error.message, words)
            ok(!error.message.includes(password))
            return true
          })
        }
      },
    )
  }

  await t.test('a server that does not respond is named, too', async (t) => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.after(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const { port } = silent.address() as { port: number }
    await rejects(openPostgres(changed({ port: String(port) }).href), /does not respond\. Check the address/)
  })

  await t.test('a server whose connections all wait is not said to be away', async (t) => {
    const pool = openPool(database.url, { connectionsMax: 1, connectMaxMs: 500 })
    t.after(() => pool.end())
    await withClient(pool, () =>
      rejects(
        withClient(pool, async () => {}),
        /all connections of this process to .* are in use: they wait there, for a lock or a standby/,
      ),
    )
  })

  await t.test('a server that hangs up, because it is not PostgreSQL, is named too', async (t) => {
    const other = createServer((socket) => void socket.end('SSH-2.0-other\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    t.after(() => other.close())
    const { port } = other.address() as { port: number }
    await rejects(
      openPostgres(changed({ port: String(port) }).href),
      /closes the connection without a response\. Check in DATABASE_URL/,
    )
  })

  await t.test('a change on a read-only database says that the primary is wanted', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await runSql(database.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const store = await openPostgres(database.url)
    const operator = { store: store.partners, actor: 'test', now: 0 }
    const plan = { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null }
    await rejects(
      createPartner(operator, plan, Buffer.alloc(32)),
      /read-only: DATABASE_URL must name the primary/,
    )
    await store.close()
  })
})

test('an attempt without a password leaves no connection that PostgreSQL waits for', async (t) => {
  const { url, folder, set } = await startOwnPostgres(t)
  await writeFile(join(folder, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
  await set({})
  const open = new Set<Socket>()
  const proxy = createServer((socket) => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => {}))
    const server = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
    socket.pipe(server).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  const { port } = proxy.address() as { port: number }
  await rejects(openPostgres(`postgres://postgres@127.0.0.1:${port}/postgres`), /asks for the password/)
  await eventually('the connection is closed', () => open.size === 0)
})
