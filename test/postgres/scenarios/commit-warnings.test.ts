import { equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { allowTenant, denyTenant } from '../../../src/partners/allow-tenant.ts'
import { createKey } from '../../../src/partners/create-key.ts'
import { revokeKey } from '../../../src/partners/revoke-key.ts'
import { createToken, revokeToken } from '../../../src/operator/access/tokens.ts'
import { resumePartner } from '../../../src/partners/set-partner-status.ts'
import { openPostgres } from '../../../src/stores/postgres/open.ts'
import { anAwardBody } from '../../support/client.ts'
import { killSessions } from '../../support/database-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { startSmallNode } from '../../support/small-node.ts'

/** The settings of a role or a database that could hide, or do away with, the wait for the standby. */
test('whatever the role and the database set, while the synchronous standby is away', async (t) => {
  const postgres = await startOwnPostgres(t)
  const database = await freshPostgres(postgres.url)
  const name = new URL(database.url).pathname.slice(1)
  await runSql(postgres.url, `ALTER DATABASE ${name} SET client_min_messages = error`)
  const { acme } = await startSmallNode(t, database.url, { deadlineMs: 4_000, answerMaxMs: 6_000 })
  await acme.award()
  const goAway = () => postgres.set({ synchronous_standby_names: 'berlin' })
  const comeBack = () => postgres.set({ synchronous_standby_names: null })
  const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = '${name}'`
  const waits = async () => (await runSql(postgres.url, `SELECT pid ${waiting}`)).length
  const cutShort = async () => {
    await eventually('a commit waits for the standby', async () => (await waits()) === 1)
    await runSql(postgres.url, `SELECT pg_cancel_backend(pid) ${waiting}`)
  }

  await t.test(
    'an award whose wait was cut short is not acknowledged, also with client_min_messages = error',
    async () => {
      await goAway()
      const order = anAwardBody()
      const award = acme.award(order)
      await cutShort()
      const answer = await award
      assertUnavailable(answer)
      match(answer.body.detail, /may not be durable/)
      await comeBack()
      await eventually('the replay is answered', async () => (await acme.award(order)).status === 200)
    },
  )

  await t.test(
    "an operator's change whose wait was cut short is reported as perhaps not durable",
    async () => {
      await goAway()
      const store = await openPostgres(database.url)
      const operator = { store: store.partners, actor: 'test', now: 0 }
      const change = resumePartner(operator, 'acme')
      await Promise.all([cutShort(), rejects(change, /may not be durable.*run the command again/s)])
      await store.close()
      await comeBack()
    },
  )

  await t.test('a tenant denied once more is not said to be gone before that is durable', async (t) => {
    const store = await openPostgres(database.url)
    t.after(() => store.close())
    const operator = { store: store.partners, actor: 'test', now: 0 }
    await allowTenant(operator, 'acme', 't9')
    await goAway()
    t.after(comeBack)
    for (const attempt of ['first', 'second']) {
      const refused = rejects(denyTenant(operator, 'acme', 't9'), /may not be durable.*again/s, attempt)
      await Promise.race([cutShort(), refused])
      await refused
    }
    await comeBack()
    await rejects(denyTenant(operator, 'acme', 't9'), /has no tenant "t9"/)
  })

  await t.test(
    'a key or token revoked once more is not said to be revoked before that is durable',
    async (t) => {
      const store = await openPostgres(database.url)
      t.after(() => store.close())
      const operator = { store: store.partners, actor: 'test', now: 0 }
      const key = await createKey(operator, 'acme', Buffer.alloc(32, 7))
      const ofTokens = { accounts: store.operators, by: { actor: 'test', now: 0 } }
      const token = await createToken(ofTokens, {
        name: 'a script',
        scopes: ['partners.read'],
        expiresAt: 60_000,
        operatorId: null,
      })
      for (const revoke of [
        () => revokeKey(operator, key.keyId),
        () => revokeToken(ofTokens, token.tokenId),
      ]) {
        await goAway()
        t.after(comeBack)
        for (const attempt of ['first', 'second']) {
          const refused = rejects(revoke(), /may not be durable.*again/s, attempt)
          await Promise.race([cutShort(), refused])
          await refused
        }
        await comeBack()
        await rejects(revoke(), /was already revoked at/)
      }
    },
  )

  for (const value of ['off', 'local']) {
    await t.test(`an award waits for the standby also once synchronous_commit is ${value}`, async () => {
      await runSql(postgres.url, `ALTER DATABASE ${name} SET synchronous_commit = ${value}`)
      await killSessions(database.url)
      await goAway()
      const order = anAwardBody()
      const award = acme.award(order)
      await eventually('the commit waits for the standby', async () => (await waits()) === 1)
      await comeBack()
      equal((await award).status, 202)
      await runSql(postgres.url, `ALTER DATABASE ${name} RESET synchronous_commit`)
      await killSessions(database.url)
    })

    await t.test(`so does an operator's change with synchronous_commit ${value}`, async () => {
      await runSql(postgres.url, `ALTER DATABASE ${name} SET synchronous_commit = ${value}`)
      await goAway()
      const store = await openPostgres(database.url)
      const operator = { store: store.partners, actor: 'test', now: 0 }
      const change = resumePartner(operator, 'acme')
      await eventually('the commit waits for the standby', async () => (await waits()) === 1)
      await comeBack()
      await change
      await store.close()
      await runSql(postgres.url, `ALTER DATABASE ${name} RESET synchronous_commit`)
    })
  }
})
