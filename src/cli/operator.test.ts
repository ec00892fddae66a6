import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aFolder, complaintOf, runCommand, textOf } from '../../test/support/command-line.ts'
import { createPasswords } from '../operator/access/passwords.ts'
import { openOperatorSessions, openStore } from '../stores/open.ts'
import { aSession } from '../../test/support/operator-accounts.ts'

/** The accounts of the ledger in this folder, past the command line. */
async function accountsIn(cwd: string) {
  const store = await openStore({ kind: 'sqlite', path: `${cwd}/data/partner-credit.db` })
  try {
    return { operators: await store.operators.operators(), tokens: await store.operators.tokens() }
  } finally {
    await store.close()
  }
}

describe('the operator commands', { concurrency: 3 }, () => {
  test('create shows a generated password once; list, disable and role never show any', async (t) => {
    const { run, json, cwd } = await aFolder(t)
    const made = await json('operator', 'create', 'Mai@example.com', '--role', 'admin', '--reason', 'new')
    assert.equal(made.operatorId, 'mai@example.com')
    const [mai] = (await accountsIn(cwd)).operators
    assert.equal(await createPasswords().matches(made.password, mai!.passwordHash), true)
    assert.match(
      textOf(await run('operator', 'create', 'an', '--role', 'viewer')),
      /an \(viewer\) can sign in now\.\n.*shown only once:\n\n {2}[a-z2-9]{26}$/m,
    )
    await json('operator', 'role', 'an', '--role', 'support')
    await json('operator', 'disable', 'an')
    const list = await json('operator', 'list')
    assert.deepEqual(
      list.map((one: Record<string, unknown>) => [one.operatorId, one.role, one.status, one.lastSignIn]),
      [
        ['an', 'support', 'disabled', null],
        ['mai@example.com', 'admin', 'active', null],
      ],
    )
    const text = textOf(await run('operator', 'list'))
    assert.match(text, /^an +support +disabled +password/m)
    assert.doesNotMatch(text + JSON.stringify(list), /argon|hash/)
    assert.match(
      textOf(await run('audit')),
      /operator create: operator mai@example\.com\n.*\n {2}reason: new/,
    )
    assert.match(textOf(await run('verify')), /^sound/)
  })

  test('a password can come from standard input, and an account can have none', async (t) => {
    const { cwd, json } = await aFolder(t)
    const args = ['operator', 'create', 'mai', '--role', 'admin', '--password-stdin', '--json']
    const result = await runCommand(args, { cwd, input: 'correct horse battery\nmore\n' })
    assert.equal(JSON.parse(result.stdout).password, undefined)
    await json('operator', 'create', 'sso', '--role', 'viewer', '--no-password')
    const { operators } = await accountsIn(cwd)
    assert.equal(await createPasswords().matches('correct horse battery', operators[0]!.passwordHash), true)
    assert.equal(operators[1]!.passwordHash, null)
  })

  test('reset sets another password and enables; what cannot be done is refused with what to do', async (t) => {
    const { run, json } = await aFolder(t)
    await json('operator', 'create', 'mai', '--role', 'admin')
    await json('operator', 'create', 'an', '--role', 'admin')
    await json('operator', 'disable', 'an')
    assert.match(complaintOf(await run('operator', 'disable', 'mai'), 1), /last active admin: make another/)
    const reset = await json('operator', 'reset', 'an')
    assert.match(reset.password, /^[a-z2-9]{26}$/)
    assert.equal(reset.status, 'active')
    await json('operator', 'disable', 'mai')
    assert.match(complaintOf(await run('operator', 'reset', 'nobody'), 1), /operator list shows them all/)
    assert.match(
      complaintOf(await run('operator', 'create', 'x', '--role', 'root'), 2),
      /viewer, support, admin/,
    )
    assert.match(
      complaintOf(await run('operator', 'create', 'a b', '--role', 'viewer'), 1),
      /1 to 100 characters/,
    )
  })

  test('reset and disable end sessions that began on a machine whose clock is ahead', async (t) => {
    const { json, cwd } = await aFolder(t)
    await json('operator', 'create', 'mai', '--role', 'admin')
    await json('operator', 'create', 'an', '--role', 'admin')
    const location = { kind: 'sqlite', path: `${cwd}/data/partner-credit.db` } as const
    const sessions = await openOperatorSessions(location, () => {})
    t.after(() => sessions.close())
    const ahead = Date.now() + 3_600_000
    for (const command of ['reset', 'disable']) {
      await sessions.begin(aSession({ operatorId: 'an', createdAt: ahead, usedAt: ahead }))
      await sessions.begin(aSession({ sessionId: 'b'.repeat(64), operatorId: 'mai' }))
      await json('operator', command, 'an')
      assert.deepEqual(
        (await sessions.sessions()).map(({ operatorId }) => operatorId),
        ['mai'],
        command,
      )
      await sessions.endAll('mai')
    }
  })

  test('a token is shown once, lists its scopes, and can be revoked', async (t) => {
    const { run, json, cwd } = await aFolder(t)
    const scopes = ['--scope', 'metrics.read', '--scope', 'figures.read', '--expires', '90d']
    const issued = await json('token', 'create', 'prometheus', ...scopes)
    assert.match(issued.secret, /^pct_[\w-]{43}$/)
    assert.match(textOf(await run('token', 'create', 'other', ...scopes)), /shown only once.*\n\npct_/)
    const list = textOf(await run('token', 'list'))
    assert.match(list, new RegExp(`^${issued.tokenId} +prometheus +figures.read metrics.read +- `, 'm'))
    assert.doesNotMatch(list + JSON.stringify(await json('token', 'list')), /pct_|hash/i)
    const { revokedAt } = await json('token', 'revoke', issued.tokenId)
    assert.match(
      complaintOf(await run('token', 'revoke', issued.tokenId), 1),
      new RegExp(`the token "${issued.tokenId}" was already revoked at ${revokedAt}`),
    )
    assert.equal((await accountsIn(cwd)).tokens.filter(({ revokedAt }) => revokedAt !== null).length, 1)
    assert.match(
      complaintOf(await run('token', 'create', 'x', '--scope', 'all', '--expires', '1d'), 2),
      /one of figures\.read/,
    )
    assert.match(textOf(await run('verify')), /^sound/)
  })
})
