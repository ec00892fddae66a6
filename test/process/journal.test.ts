import { equal, match, ok } from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createClient } from '../support/client.ts'
import { aFolder, database } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { Lifetime } from '../support/service.ts'
import { always, journaled, readJournal } from '../support/service-journal.ts'

/** A ledger with acme, and how to serve it. */
async function aLedger(t: Lifetime) {
  const { cwd, acme } = await aFolder(t)
  const config = readConfig({ DATABASE_URL: `sqlite:${join(cwd, database)}` })
  async function serve(): Promise<{ server: ServerProcess; award: () => Promise<number> }> {
    const server = await startServerProcess({}, { cwd })
    t.after(async () => void (await server.end('SIGKILL')))
    const client = createClient(server.url, acme, systemClock)
    return { server, award: async () => (await client.award()).status }
  }
  return { cwd, acme, config, serve }
}

async function responsesIn(config: Config): Promise<number> {
  const [sum] = await readJournal({ config }, (journal) => journal.counts({ span: 'day', ...always, by: [] }))
  return sum?.responses ?? 0
}

test('kill -9 loses at most what the journal had not yet written, and it goes on after a restart', async (t) => {
  const { config, serve } = await aLedger(t)
  const first = await serve()
  const written = 10
  for (let order = 0; order < written; order++) equal(await first.award(), 202)
  await journaled({ config }, written)
  const atOnce = 10
  for (let order = 0; order < atOnce; order++) equal(await first.award(), 202)
  await first.server.end('SIGKILL')

  const left = await responsesIn(config)
  ok(left >= written && left <= written + atOnce, `${left} are left`)
  t.diagnostic(`${written + atOnce - left} responses were lost with the process`)

  const second = await serve()
  for (let order = 0; order < written; order++) equal(await second.award(), 202)
  await journaled({ config }, left + written)
  equal(await second.server.end('SIGTERM'), 0)
  equal(await responsesIn(config), left + written)
})

test('an orderly end loses nothing', async (t) => {
  const { config, serve } = await aLedger(t)
  const { server, award } = await serve()
  for (let order = 0; order < 5; order++) equal(await award(), 202)
  equal(await server.end('SIGTERM'), 0)
  await journaled({ config }, 5)
})

/** In the shell's blocks of 512 bytes. */
const fileBlocksMax = 1_500

test('when the disk takes no more of the journal, awards go on; with room again, so does the journal', async (t) => {
  const { cwd, acme, config, serve } = await aLedger(t)
  const first = await serve()
  equal(await first.award(), 202)
  await first.server.end('SIGTERM')
  await journaled({ config }, 1)
  fillLog(join(cwd, `${database}-operator`), fileBlocksMax * 512)

  // The kernel lets no file of this process grow beyond the limit, which only the operator file's log has reached.
  const server = await startLimited(t, cwd)
  const client = createClient(server.url, acme, systemClock)
  await eventually('it says so', async () => {
    equal((await client.award()).status, 202)
    await sleep(400) // so few awards that the log of the ledger stays below the limit, too
    return /the journal cannot be written/.test(server.log.join())
  })
  match(server.log.join(), /SQLite: the disk (is full|failed)/)
  for (let order = 0; order < 5; order++) equal((await client.award()).status, 202)
  equal((await fetch(`${server.operatorUrl}/readyz`)).status, 200)
  await server.end('SIGKILL')

  const left = await responsesIn(config)
  const roomy = await serve()
  equal(await roomy.award(), 202)
  await journaled({ config }, left + 1)
})

/** Leaves a log of nearly this size behind, as a server that was killed does. */
function fillLog(file: string, bytes: number): void {
  const filler = new DatabaseSync(file)
  filler.exec(`PRAGMA wal_autocheckpoint = 0; CREATE TABLE filler (bytes BLOB);
    INSERT INTO filler VALUES (zeroblob(${bytes - 30_000}))`)
  for (const companion of ['', '-wal']) copyFileSync(`${file}${companion}`, `${file}${companion}.kept`)
  filler.close()
  for (const companion of ['', '-wal']) copyFileSync(`${file}${companion}.kept`, `${file}${companion}`)
}

function startLimited(t: Lifetime, cwd: string): Promise<ServerProcess> {
  const started = startServerProcess({}, { cwd, limit: `-f ${fileBlocksMax}` })
  t.after(async () => void (await (await started).end('SIGKILL')))
  return started
}
