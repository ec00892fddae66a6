import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import {
  identityOf,
  lockFileOf,
  recordFileOf,
  writeRecord,
} from '../../src/operator/api/verification/record.ts'
import { takeSystemLock } from '../../src/stores/sqlite/file/system-lock.ts'
import { eventually } from '../support/eventually.ts'
import { anApi } from '../support/operator-api.ts'
import { openRaw } from '../support/raw-database.ts'
import { scrape, sumOf } from '../support/scrape.ts'
import { startService, type Lifetime, type TestService } from '../support/service.ts'

test('a verification runs in a process of its own, one at a time on a machine, and its result says what is wrong', async (t) => {
  const service = await startService(t)
  const api = await anApi(t, service)
  await service.acme.award({ orderId: 'first' })
  recordFileIn(t, service)
  const start = () => api.as('support', { method: 'POST', path: '/verification' })
  const state = async () => (await api.as('viewer', { path: '/verification' })).body
  async function finished(runs: number) {
    await eventually('it has ended', async () => {
      const { current, earlier } = await state()
      return current === null && earlier.length === runs
    })
    return (await state()).earlier[0]
  }

  assert.deepEqual(await state(), { current: null, earlier: [], verifiedAt: null, notSoundAt: null })
  const lock = takeSystemLock(lockFileOf(service.config.database))!
  const busy = await start()
  assert.deepEqual(
    [busy.status, busy.body.code],
    [409, 'CONFLICT'],
    'another process of this machine verifies',
  )

  lock.release()
  const started = await start()
  assert.equal(started.status, 202)
  const sound = await finished(1)
  assert.deepEqual(
    [sound.state, sound.entries, sound.problem, sound.startedBy],
    ['sound', 1, null, 'operator:a-support'],
  )
  assert.equal((await state()).verifiedAt, sound.endedAt)

  const raw = await openRaw(service.config.database)
  await raw.unlock()
  await raw.run('UPDATE entries SET points = points + 1')
  await raw.close()
  assert.equal((await start()).status, 202)
  const faulty = await finished(2)
  assert.equal(faulty.state, 'not sound')
  assert.match(faulty.problem, /acme/)
  const { ledger } = (await api.as('viewer', { path: '/overview' })).body
  assert.equal(ledger.notSoundAt, faulty.endedAt, 'the overview does not go on saying that it is sound')
  api.readings.verifiedAt = Date.parse(faulty.endedAt) + 1
  const { ledger: repaired } = (await api.as('viewer', { path: '/overview' })).body
  assert.equal(repaired.notSoundAt, null, 'a later command has found it sound')
  api.readings.notSoundAt = Date.parse(faulty.endedAt) + 2
  const { ledger: again } = (await api.as('viewer', { path: '/overview' })).body
  assert.equal(Date.parse(again.notSoundAt), api.readings.notSoundAt, 'and another one not sound')
  assert.equal((await state()).notSoundAt, again.notSoundAt)
})

test('the process of a verification takes no SIGUSR1 for a wish to debug it', async (t) => {
  const service = await startService(t)
  const api = await anApi(t, service)
  recordFileIn(t, service)
  const started = api.as('support', { method: 'POST', path: '/verification' })
  let processes: string[] = []
  await eventually('it runs', () => {
    const list = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' })
    const ours = list.split('\n').filter((line) => line.trim().startsWith(`${process.pid} `))
    processes = ours.filter((line) => line.includes('run-verification'))
    return processes.length > 0
  })
  assert.match(processes[0]!, / --disable-sigusr1 /)
  assert.equal((await started).status, 202)
})

test('a verification whose process has ended, but is still in the list of processes, counts as failed', async (t) => {
  const service = await startService(t)
  const api = await anApi(t, service)
  const run = {
    startedAt: 1,
    startedBy: 'operator:a-support',
    endedAt: null,
    entries: 0,
    accounts: 0,
    userDays: 0,
  }
  const current = {
    ...run,
    state: 'running' as const,
    problem: null,
    process: await anUnreapedProcess(t),
    step: 'verifying',
    done: 0.5,
    stepSeconds: 1,
  }
  await writeRecord(recordFileIn(t, service), { current, earlier: [] })
  const { body } = await api.as('viewer', { path: '/verification' })
  assert.deepEqual([body.current, body.earlier[0].state], [null, 'failed'])
  const { status } = await api.as('support', { method: 'POST', path: '/verification' })
  assert.equal(status, 202)
})

test('servers learn that a verification found the ledger not sound, although the list of runs cannot be written', async (t) => {
  const service = await startService(t)
  const api = await anApi(t, service)
  await service.acme.award()
  const raw = await openRaw(service.config.database)
  await raw.unlock()
  await raw.run('UPDATE entries SET points = points + 1')
  await raw.close()
  const file = recordFileIn(t, service)
  assert.equal((await api.as('support', { method: 'POST', path: '/verification' })).status, 202)
  // Instead of a full disk: the next draft of the list cannot be made.
  await mkdir(`${file}.new/in the way`, { recursive: true })
  await eventually('the metrics say so', async () => {
    return sumOf(await scrape(service.operatorUrl), 'partner_credit_verify_not_sound') === 1
  })
})

function recordFileIn(test: Lifetime, { config }: TestService): string {
  const file = recordFileOf(config.database)
  test.after(async () => {
    for (const path of [file, lockFileOf(config.database), `${file}.new`])
      await rm(path, { recursive: true, force: true })
  })
  return file
}

/** The identity of a process that has ended, and whose parent has not asked how. */
async function anUnreapedProcess(test: Lifetime): Promise<string> {
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 1000'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  test.after(() => void parent.kill('SIGKILL'))
  const [pid] = await once(createInterface(parent.stdout), 'line')
  const identity = identityOf(Number(pid))!
  await eventually('it has ended', async () => {
    const [state] = await once(createInterface(spawn('ps', ['-o', 'stat=', '-p', pid]).stdout), 'line')
    return state.startsWith('Z')
  })
  return identity
}
