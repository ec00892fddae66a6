import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { scrapeUntilAnswered, sumOf } from '../support/scrape.ts'
import { startServerProcess } from '../support/server-process.ts'

const slow = { withinMs: 90_000 }
const workers = 2

test('any worker gives the metrics of all of them, and the sums never fall', async (t) => {
  const fresh = await freshDatabase()
  const server = await startServerProcess(
    { DATABASE_URL: fresh.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    { args: ['--workers', String(workers)] },
  )
  t.after(async () => {
    await server.end('SIGKILL')
    await fresh.remove()
  })
  const logged = (msg: string) =>
    server.log.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
  const started = (count: number) =>
    eventually(`${count} workers have started`, () => logged('worker serving').length >= count, slow)
  const knock = () => fetch(`${server.url}/livez`, { headers: { connection: 'close' } })
  const requests = { listener: 'partner', route: '/livez' }
  const scraped = () => scrapeUntilAnswered(server.operatorUrl)
  const counted = async () => sumOf(await scraped(), 'partner_credit_requests_total', requests)
  const processes = async () => sumOf(await scraped(), 'partner_credit_processes')

  await started(workers)
  for (let count = 0; count < 60; count++) await knock()
  await eventually('all are counted', async () => (await counted()) === 60, slow)
  // Each scrape is a connection of its own: both workers are asked.
  for (let count = 0; count < 10; count++) assert.equal(await counted(), 60)
  assert.equal(await processes(), workers)

  process.kill(logged('worker serving')[0].worker, 'SIGKILL')
  await started(workers + 1)
  assert.equal(await counted(), 60)
  server.signal('SIGHUP')
  await eventually('all are restarted', () => logged('workers restarted').length > 0, slow)
  assert.equal(await counted(), 60)
  await knock()
  await eventually('a new worker counts on', async () => (await counted()) === 61, slow)
  assert.equal(await processes(), workers)
})
