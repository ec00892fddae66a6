import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFolder, complaintOf, textOf } from '../../test/support/command-line.ts'

test('a sandbox tenant is made with its partner or allowed later, and every list marks it', async (t) => {
  const { run, json } = await aFolder(t)
  const tenants = ['--tenant', 't1', '--sandbox-tenant', 't1-test']
  await json('partner', 'create', '--id', 'initech', '--name', 'Initech', ...tenants)
  const allowed = await json('partner', 'allow', 'acme', '--sandbox-tenant', 't1-test')
  const modes = allowed.grants.map((grant: Record<string, unknown>) => `${grant.tenantId} ${grant.mode}`)
  assert.deepEqual(modes, ['t1 live', 't2 live', 't1-test sandbox'])
  const [list, show, all] = await Promise.all([
    run('partner', 'list'),
    run('partner', 'show', 'initech'),
    run('tenant', 'list'),
  ])
  assert.match(textOf(list), /^initech +Initech +active +t1 t1-test \(sandbox\) +1$/m)
  assert.match(
    textOf(show),
    /^t1-test \(sandbox\) +10000 \(default\) +1000000 \(default\) +20000 \(default\)$/m,
  )
  assert.match(textOf(all), /^t1-test \(sandbox\) +20000 \(default\)/m)
  assert.match(textOf(all), /^t1 +20000 \(default\)/m)
})

test('a tenant must be named as what it is, and one must be named', async (t) => {
  const { run } = await aFolder(t)
  const [other, ...usage] = await Promise.all([
    run('partner', 'allow', 'acme', '--sandbox-tenant', 't2'),
    run('partner', 'allow', 'acme'),
    run('partner', 'allow', 'acme', '--tenant', 't3', '--sandbox-tenant', 't4'),
    run('partner', 'create', '--id', 'initech', '--name', 'Initech'),
  ])
  assert.match(complaintOf(other, 1), /"t2" is a live tenant, .*name it with --tenant/)
  for (const result of usage) assert.match(complaintOf(result, 2), /specify --tenant.* --sandbox-tenant/)
})

test('tenant list and caps', async (t) => {
  const { run, json } = await aFolder(t)
  const changed = await json('tenant', 'caps', 't1', '--per-user-day', '500')
  assert.deepEqual([changed.tenantId, changed.perUserDay], ['t1', 500])
  const [text, list] = await Promise.all([run('tenant', 'list'), json('tenant', 'list')])
  assert.match(textOf(text), /^t1 +500 +2026-01-02T/m)
  assert.match(text.stdout, /^t2 +20000 \(default\) +2026-01-02T/m)
  assert.deepEqual(
    list.map((tenant: { perUserDay: number | null }) => tenant.perUserDay),
    [500, null],
  )
  assert.match(
    textOf(await run('tenant', 'caps', 't1', '--per-user-day', 'default')),
    /^t1 +20000 \(default\)/m,
  )
})
