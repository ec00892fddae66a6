import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import type { Answer } from '../support/client.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startService, type TestService } from '../support/service.ts'

const award = {
  tenantId: 't1',
  orderId: 'A-1',
  userEmail: 'ann@example.com',
  amount: 5999,
  note: 'hi',
  meta: { a: 1.5 },
}

/** All kinds of requests of a partner, one after the other. */
async function aDay({ acme, globex, clock, operate }: TestService): Promise<Answer[]> {
  const answers: Answer[] = []
  const ask = async (request: Promise<Answer>) => void answers.push(await request)
  await ask(acme.award(award))
  await ask(acme.award(award))
  await ask(acme.award({ ...award, tenantId: 't2', amount: 1, note: null }))
  await ask(acme.award({ ...award, orderId: '🎁 ưu đãi', userEmail: 'ANN@example.com', amount: 9_000_000 }))
  await ask(acme.award({ ...award, orderId: 'A-3', amount: 999 }))
  await ask(acme.award({ ...award, orderId: 'A-4', amount: 10_001_000 }))
  await ask(acme.award({ ...award, orderId: 'A-5', amount: 9_007_199_254_740_991 }))
  await ask(acme.award({ ...award, orderId: 'A-6', extra: 1, amount: 'x' }))
  await ask(acme.awardBytes('{"a":1,"a":2}'))
  await ask(acme.award({ ...award, tenantId: 'elsewhere', orderId: 'A-7' }))
  await ask(acme.award({ ...award, orderId: 'A-8' }, { 'X-Signature': '0'.repeat(64) }))
  await ask(acme.award({ ...award, orderId: 'A-9' }, { 'X-Timestamp': '12' }))
  await ask(globex.award({ ...award, orderId: 'A-1' }))
  await operate((operator) => setTenantCaps(operator, 't1', 9_020))
  await ask(globex.award({ ...award, orderId: 'G-2', amount: 20_000 }))
  await ask(globex.award({ ...award, orderId: 'G-3', amount: 9_000 }))
  for (let order = 1; order <= 5; order++) {
    clock.advance(1000)
    await ask(acme.award({ ...award, orderId: `P-${order}`, userEmail: `p${order}@example.com` }))
  }
  await ask(acme.history('t1'))
  await ask(acme.history('t1', '&limit=3'))
  await ask(acme.history('t1', `&limit=3&cursor=${answers.at(-1)!.body.nextCursor}`))
  await ask(acme.history('t1', '&limit=0&cursor=x'))
  await ask(acme.history('t2'))
  await ask(globex.history('t2'))
  await operate((operator) => suspendPartner(operator, 'acme'))
  await ask(acme.award({ ...award, orderId: 'late' }))
  await ask(acme.award(award))
  clock.advance(86_400_000)
  await ask(globex.award({ ...award, orderId: 'G-2', amount: 20_000 }))
  return answers
}

test('SQLite, one PostgreSQL node and three nodes give the same responses byte for byte, ids aside', async (t) => {
  const configurations = [
    ['sqlite', 1],
    ['postgres', 1],
    ['postgres', 3],
  ] as const
  const days: string[][] = []
  for (const [kind, nodes] of configurations) {
    const service = await startService(t, {}, { nodes, database: await freshDatabase(kind) })
    days.push((await aDay(service)).map(withoutIds))
    assert.equal((await service.verify()).sound, true)
  }
  const [onSqlite, ...others] = days
  assert.ok(onSqlite!.length > 25)
  for (const day of others) assert.deepEqual(day, onSqlite)
})

/** Status, headers and body, without random ids and the date of the response. */
function withoutIds({ status, headers, text }: Answer): string {
  const named = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return [status, ...named.map((header) => header.join(': ')), text]
    .join('\n')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
}
