import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'
import type { PartnerKey } from '../../test/chaos/stage.ts'

/**
 * The same award as a team would write it first: Fastify and pg, and for each request one transaction that locks the
 * counters, looks for the order, inserts, counts and commits. It checks signature, tenant and caps, and keeps neither
 * a hash chain nor a history. In its favor, its keys are in memory, and it checks fields by hand.
 */
export type OneTransactionPlan = { databaseUrl: string; partners: PartnerKey[]; poolSize: number }
type Award = {
  tenantId: string
  orderId: string
  userEmail: string
  amount: number
  note?: string
  meta?: object
}

const { databaseUrl, partners, poolSize } = JSON.parse(process.argv[2]!) as OneTransactionPlan
const keys = new Map(partners.map((partner) => [partner.apiKey, partner]))
const capPerTx = 10_000
const capPerPartnerDay = 1e12
const capPerUserDay = 1e12
const clockWindowMs = 300_000
const dayMs = 86_400_000

const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize })
await pool.query(`
  CREATE TABLE awards (
    id uuid PRIMARY KEY, partner_id text NOT NULL, tenant_id text NOT NULL, order_id text NOT NULL,
    user_email text NOT NULL, amount bigint NOT NULL, points bigint NOT NULL, note text, meta jsonb,
    awarded_at timestamptz NOT NULL DEFAULT now(), UNIQUE (partner_id, order_id));
  CREATE INDEX awards_of_account ON awards (partner_id, tenant_id, awarded_at);
  CREATE TABLE partner_days (
    partner_id text, tenant_id text, day integer, points bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (partner_id, tenant_id, day));
  CREATE TABLE user_days (
    tenant_id text, user_email text, day integer, points bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, user_email, day))`)

const app = Fastify({ logger: false })
app.removeAllContentTypeParsers()
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
app.post('/v1/ep/webhook', async (request, reply) => {
  const body = request.body as Buffer
  const partner = keys.get(String(request.headers['x-api-key']))
  const timestamp = String(request.headers['x-timestamp'])
  const signature = String(request.headers['x-signature'])
  if (partner === undefined || !isSigned(partner, timestamp, body, signature)) {
    return reply.code(401).send({ code: 'INVALID_SIGNATURE' })
  }
  const award = JSON.parse(body.toString()) as Award
  if (!isAward(award)) return reply.code(400).send({ code: 'INVALID_REQUEST' })
  if (!partner.tenants.includes(award.tenantId)) return reply.code(403).send({ code: 'TENANT_NOT_ALLOWED' })
  const { status, answer } = await inTransaction((client) => credit(client, partner.partnerId, award))
  return reply.code(status).send(answer)
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url }))

async function credit(client: pg.PoolClient, partnerId: string, award: Award) {
  const { tenantId, orderId, userEmail, amount, note = null, meta = null } = award
  const points = Math.floor(amount / 1000)
  const day = Math.floor(Date.now() / dayMs)
  const partnerDay = await lockedPoints(
    client,
    'INSERT INTO partner_days VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING',
    'SELECT points FROM partner_days WHERE partner_id = $1 AND tenant_id = $2 AND day = $3 FOR UPDATE',
    [partnerId, tenantId, day],
  )
  const userDay = await lockedPoints(
    client,
    'INSERT INTO user_days VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING',
    'SELECT points FROM user_days WHERE tenant_id = $1 AND user_email = $2 AND day = $3 FOR UPDATE',
    [tenantId, userEmail, day],
  )
  const { rows } = await client.query(
    'SELECT id, points FROM awards WHERE partner_id = $1 AND order_id = $2',
    [partnerId, orderId],
  )
  if (rows.length > 0) {
    const { id: epTransactionId, points } = rows[0]
    return {
      status: 200,
      answer: { epTransactionId, status: 'COMPLETED', points: Number(points), code: 'DUPLICATE' },
    }
  }
  if (points > capPerTx || partnerDay + points > capPerPartnerDay || userDay + points > capPerUserDay) {
    return { status: 429, answer: { code: 'CAP_EXCEEDED' } }
  }
  const epTransactionId = randomUUID()
  await client.query(
    'INSERT INTO awards (id, partner_id, tenant_id, order_id, user_email, amount, points, note, meta) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [epTransactionId, partnerId, tenantId, orderId, userEmail, amount, points, note, meta],
  )
  await client.query(
    'UPDATE partner_days SET points = points + $4 WHERE partner_id = $1 AND tenant_id = $2 AND day = $3',
    [partnerId, tenantId, day, points],
  )
  await client.query(
    'UPDATE user_days SET points = points + $4 WHERE tenant_id = $1 AND user_email = $2 AND day = $3',
    [tenantId, userEmail, day, points],
  )
  return { status: 202, answer: { epTransactionId, status: 'COMPLETED', orderId, points } }
}

/** The row is inserted only if it is missing: usually it exists. */
async function lockedPoints(client: pg.PoolClient, insert: string, select: string, key: unknown[]) {
  const found = await client.query(select, key)
  if (found.rows.length > 0) return Number(found.rows[0].points)
  await client.query(insert, key)
  return Number((await client.query(select, key)).rows[0].points)
}

async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

function isSigned(partner: PartnerKey, timestamp: string, body: Buffer, signature: string): boolean {
  if (!(Math.abs(Number(timestamp) - Date.now()) <= clockWindowMs)) return false
  const expected = createHmac('sha256', partner.signingSecret).update(`${timestamp}.`).update(body).digest()
  return /^[0-9a-f]{64}$/.test(signature) && timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

function isAward({ tenantId, orderId, userEmail, amount }: Award): boolean {
  const texts = [tenantId, orderId, userEmail]
  return texts.every((text) => typeof text === 'string' && text !== '') && Number.isSafeInteger(amount)
}
