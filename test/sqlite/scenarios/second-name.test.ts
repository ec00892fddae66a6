import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { environmentOf, makeAcmeFile } from '../../support/acme-file.ts'
import { type Client, createClient } from '../../support/client.ts'
import { runCommand } from '../../support/command-line.ts'
import { operatorReads } from '../../support/operator-reads.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/service.ts'

/** A server in its own process, and another name for its file. */
async function aServer(t: TestContext) {
  const folder = temporaryFolder(t)
  const [path, alias] = [join(folder, 'ledger.db'), join(folder, 'alias.db')]
  const key = await makeAcmeFile(path)
  async function serve(file: string) {
    const server = await startServerProcess(environmentOf(file))
    t.after(() => server.end('SIGKILL'))
    return { ...createClient(server.url, key, systemClock), server }
  }
  const command = (...args: string[]) => runCommand(args, { cwd: folder, environment: environmentOf(alias) })
  return { path, alias, acme: await serve(path), serve, command }
}

async function statusOf(client: Client, orderId: string): Promise<number> {
  return (await client.award({ orderId, userEmail: 'ann@example.com', amount: 1000 })).status
}

test('a hard link cannot be used to serve, change or verify a ledger that is being served', async (t) => {
  const { path, alias, acme, serve, command } = await aServer(t)
  assert.equal(await statusOf(acme, 'before'), 202)
  linkSync(path, alias)
  await assert.rejects(serve(alias), /ended with 1 before it served.*alias\.db: the file has 2 names/)
  for (const args of [
    ['partner', 'create', '--id', 'globex', '--name', 'Globex', '--tenant', 't1'],
    ['partner', 'list'],
    ['verify'],
    ['export'],
    ['migrate'],
  ]) {
    const { code, stdout, stderr } = await command(...args)
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.match(stderr, /2 names/)
  }
  const { status, body } = await acme.award({ orderId: 'during', userEmail: 'ann@example.com', amount: 1000 })
  assert.equal(status, 503, 'whoever serves it already acknowledges nothing meanwhile')
  assert.match(body.detail, /^the database cannot be used at the moment: send the same orderId again/)
  await operatorReads(acme.server, /2 names \(hard links\)/)
  rmSync(alias)
  assert.equal(await statusOf(acme, 'after'), 202)
})

test('a bind mount of the single file cannot be used to serve a ledger that is being served', async (t) => {
  const { path, alias, acme, serve, command } = await aServer(t)
  writeFileSync(alias, '')
  if (spawnSync('mount', ['--bind', path, alias]).status !== 0)
    return t.skip('needs the right to mount (root)')
  try {
    await assert.rejects(serve(alias), /ended with 1 before it served.*the file is mounted by itself/)
    assert.match((await command('partner', 'list')).stderr, /mounted by itself/)
    assert.equal(await statusOf(acme, 'during'), 202, 'its own name is as good as before')
  } finally {
    spawnSync('umount', [alias])
  }
})

test('where a file was moved while it was served, the server of its new place acknowledges and the old one does not', async (t) => {
  const { path, alias, acme, serve } = await aServer(t)
  assert.equal(await statusOf(acme, 'before'), 202)
  for (const companion of ['', '-wal', '-shm']) renameSync(`${path}${companion}`, `${alias}${companion}`)
  const second = await serve(alias)
  assert.equal(await statusOf(second, 'there'), 202)
  assert.equal(await statusOf(acme, 'here'), 503)
  assert.equal(await statusOf(second, 'before'), 200)
  for (const companion of ['', '-wal', '-shm']) renameSync(`${alias}${companion}`, `${path}${companion}`)
  assert.equal(await statusOf(acme, 'here again'), 503)
})

test('where a file was moved without its log while it was served, nobody serves or changes it until it is back, and no award is lost', async (t) => {
  const { path, alias, acme, serve, command } = await aServer(t)
  assert.equal(await statusOf(acme, 'before'), 202)
  renameSync(path, alias)
  await assert.rejects(serve(alias), /ended with 1 before it served.*has it open, but not with the log/)
  const { code, stderr } = await command('partner', 'list')
  assert.equal(code, 1)
  assert.match(stderr, /move it back, because that log has the newest awards/)
  renameSync(alias, path)
  await acme.server.end('SIGTERM')
  assert.equal(await statusOf(await serve(path), 'before'), 200)
})
