import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { find } from '../../src/answers/find.ts'
import { openJournalKey, orderFingerprint } from '../../src/journal/journal-key.ts'
import { openJournal, openQueries } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type TestService } from '../support/service.ts'

type Question = Parameters<typeof find>[1]

/** Asks as an operator does, beside the running service. */
async function ask({ config }: TestService, question: Question, { masterKey = config.masterKey } = {}) {
  const queries = await openQueries(config.database)
  const journal = await openJournal(config.database)
  async function fingerprintOf(orderId: string): Promise<string | null> {
    const sealed = await journal.sealedKey()
    return sealed === null ? null : orderFingerprint(openJournalKey(masterKey!, sealed), orderId)
  }
  try {
    const sources = { queries, journal, fingerprintOf }
    return await find(sources, question, { say: assert.fail, show: () => {} })
  } finally {
    await queries.close()
    await journal.close()
  }
}

const user = 'lan@example.vn'
const orders = (awards: { partnerId: string; orderId: string }[]) =>
  awards.map(({ partnerId, orderId }) => `${partnerId} ${orderId}`).sort((a, b) => a.localeCompare(b))

test('in a ledger with an order of two partners', async (t) => {
  const service = await startService(t)
  const { acme, globex, clock } = service
  const order = { orderId: '1001', userEmail: user, amount: 5999, note: 'thank you' }
  const first: string = (await acme.award(order)).body.epTransactionId
  clock.advance(1)
  await globex.award({ orderId: '1001', userEmail: user, amount: 7000 })
  clock.advance(1)
  await acme.award({ orderId: '1002', tenantId: 't2', userEmail: 'Mai@Example.VN', amount: 1000 })

  await t.test(
    'an order is found with its partner, and without it at every partner that has it',
    async () => {
      const both = await ask(service, { text: '1001' })
      assert.deepEqual(orders(both.credited), ['acme 1001', 'globex 1001'])
      assert.deepEqual(both.searchedAs, ['order', 'request'])

      const { credited } = await ask(service, { text: '1001', partnerId: 'acme' })
      assert.deepEqual(credited, [
        {
          foundAs: ['order'],
          mode: 'live',
          partnerId: 'acme',
          tenantId: 't1',
          seq: 1,
          epTransactionId: first,
          orderId: '1001',
          userEmail: user,
          points: 5,
          rawAmount: 5999,
          amountPerEp: 1000,
          remainder: 999,
          note: 'thank you',
          awardedAt: credited[0]!.awardedAt,
        },
      ])
      assert.deepEqual((await ask(service, { text: '1001', tenantId: 't2' })).credited, [])
      assert.deepEqual(orders((await ask(service, { text: '1002', tenantId: 't2' })).credited), ['acme 1002'])
    },
  )

  await t.test('a transaction is found by its id, in letters of any case', async () => {
    for (const text of [first, first.toUpperCase()]) {
      const { credited } = await ask(service, { text })
      assert.deepEqual(orders(credited), ['acme 1001'])
      assert.deepEqual(credited[0]!.foundAs, ['id'])
    }
    assert.deepEqual((await ask(service, { text: first, partnerId: 'globex' })).credited, [])
    assert.deepEqual((await ask(service, { text: randomUUID() })).credited, [])
  })

  await t.test('an address is found in one tenant or in all, newest first', async () => {
    const found = async (question: Question) =>
      (await ask(service, question)).credited.map((award) => award.partnerId)
    assert.deepEqual(await found({ text: user }), ['globex', 'acme'])
    assert.deepEqual(await found({ text: user.toUpperCase(), tenantId: 't1' }), ['globex', 'acme'])
    assert.deepEqual(await found({ text: user, tenantId: 't2' }), [])
    assert.deepEqual(await found({ text: user, partnerId: 'acme' }), ['acme'])
    assert.deepEqual(await found({ text: 'MAI@example.vn' }), ['acme'])
  })

  /** It adds to what the tests before it have read. */
  await t.test('of many awards the newest are shown, and that there are more', async () => {
    for (let index = 0; index < 24; index++) {
      clock.advance(1)
      const award = { orderId: `many-${index}`, userEmail: user, amount: 1000 }
      assert.equal((await (index % 2 === 0 ? acme : globex).award(award)).status, 202)
    }
    const { credited, hasMoreCredited } = await ask(service, { text: user })
    assert.deepEqual(
      credited.map(({ orderId }) => orderId),
      Array.from({ length: 20 }, (_, at) => `many-${23 - at}`),
    )
    assert.equal(hasMoreCredited, true)
    const ofAcme = await ask(service, { text: user, partnerId: 'acme' })
    assert.equal(ofAcme.credited.length, 13)
    assert.equal(ofAcme.hasMoreCredited, false)
  })
})

test('an orderId may look like an address or an id: everything that fits is searched, and `as` narrows', async (t) => {
  const service = await startService(t)
  const { acme, clock } = service
  const id = randomUUID()
  await acme.award({ orderId: id, userEmail: user })
  clock.advance(1)
  await acme.award({ orderId: user, userEmail: 'mai@example.vn' })
  clock.advance(1)
  const own = await acme.award({ orderId: 'mai@example.vn', userEmail: 'mai@example.vn' })
  assert.equal(own.status, 202)

  const byId = await ask(service, { text: id })
  assert.deepEqual(byId.searchedAs, ['order', 'id', 'request'])
  assert.deepEqual(
    byId.credited.map(({ orderId }) => orderId),
    [id],
  )
  assert.deepEqual((await ask(service, { text: id, as: 'id' })).credited, [])

  const byAddress = await ask(service, { text: user })
  assert.deepEqual(byAddress.searchedAs, ['order', 'email'])
  assert.deepEqual(
    byAddress.credited.map(({ orderId, foundAs }) => [orderId, foundAs]),
    [
      [user, ['order']],
      [id, ['email']],
    ],
  )
  const asEmail = await ask(service, { text: user, as: 'email' })
  assert.deepEqual(
    asEmail.credited.map(({ orderId }) => orderId),
    [id],
  )

  const both = await ask(service, { text: 'mai@example.vn' })
  assert.deepEqual(
    both.credited.map(({ orderId, foundAs }) => [orderId, foundAs]),
    [
      ['mai@example.vn', ['order', 'email']],
      [user, ['email']],
    ],
  )
})

test('a refusal is found by its order and by its requestId, with the reason', async (t) => {
  const service = await startService(t, { CAP_PER_PARTNER_DAY: '10' })
  const { acme } = service
  assert.equal((await acme.award({ orderId: 'first', userEmail: user, amount: 8000 })).status, 202)
  const refused = await acme.award({ orderId: 'second', userEmail: user, amount: 5000 })
  assert.equal(refused.status, 429)
  const { requestId } = JSON.parse(refused.text)
  await eventually(
    'the journal has it',
    async () => (await ask(service, { text: 'second' })).refused.length === 1,
  )

  for (const text of ['second', requestId]) {
    const answer = await ask(service, { text })
    assert.deepEqual(answer.credited, [])
    const [refusal] = answer.refused
    assert.deepEqual(refusal, {
      foundAs: [text === 'second' ? 'order' : 'request'],
      at: refusal!.at,
      partnerId: 'acme',
      keyId: refusal!.keyId,
      tenantId: 't1',
      endpoint: 'award',
      code: 'DAILY_CAP_EXCEEDED',
      cap: 'perPartnerDay',
      limit: 10,
      requested: 5,
      used: 8,
      requestId,
    })
    assert.equal(answer.refusalsSince, refusal!.at)
  }
  assert.deepEqual((await ask(service, { text: 'second', partnerId: 'globex' })).refused, [])
  assert.deepEqual((await ask(service, { text: 'second', as: 'request' })).refused, [])

  const wrongKey = await ask(service, { text: 'second' }, { masterKey: Buffer.alloc(32, 9) })
  assert.deepEqual(wrongKey.refused, [])
  assert.match(
    wrongKey.notSearched.join(),
    /^refusals of an order, because the journal's key cannot be opened: the master key is not the one it was made with$/,
  )
})

test('of what is not there', async (t) => {
  const service = await startService(t)
  const { acme } = service

  await t.test('of what nobody knows, it says since when refusals are on record', async () => {
    const before = await ask(service, { text: 'unknown' })
    assert.deepEqual([before.credited, before.refused, before.refusalsSince], [[], [], null])
    assert.equal((await acme.award({ orderId: 'small', userEmail: user, amount: 1 })).status, 422)
    await eventually(
      'the journal has it',
      async () => (await ask(service, { text: 'small' })).refused.length === 1,
    )
    const after = await ask(service, { text: 'unknown' })
    assert.deepEqual([after.credited, after.refused], [[], []])
    assert.match(after.refusalsSince!, /^\d{4}-\d\d-\d\dT/)
  })

  await t.test('an unknown partner or tenant names the nearest', async () => {
    await assert.rejects(ask(service, { text: 'x', partnerId: 'acem' }), /there is no partner "acem".*"acme"/)
    await assert.rejects(ask(service, { text: 'x', tenantId: 't11' }), /there is no tenant "t11".*"t1"/)
  })
})
