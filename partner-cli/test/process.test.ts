import { deepEqual, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../test/support/service.ts'
import { startFaultyProxy } from '../../sdk/test/faulty-proxy.ts'
import { anOrder, startLive } from '../../sdk/test/live-service.ts'
import { environmentOf } from './command-line.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

describe('the process of the command', { concurrency: 2 }, async () => {
  const live = await startLive({ after })
  await live.credit.award(anOrder())

  test('leaves nothing behind when it is ended by a signal', async (t) => {
    const proxy = await startFaultyProxy(t, live.service.url)
    const folder = temporaryFolder(t)
    const list = join(folder, 'orders.csv')
    writeFileSync(list, 'order,email,amount\na,a@example.com,1000\n')
    const args = ['reconcile', list, '--tenant', 't1', '--url', proxy.url, '--output', join(folder, 'out')]
    const env = { ...process.env, ...environmentOf(live), TMPDIR: folder }
    proxy.next('is never answered')
    const arrival = proxy.arrival()
    const child = spawn(process.execPath, [main, ...args], { env, stdio: 'ignore' })
    await arrival
    equal(readdirSync(folder).filter((name) => name.startsWith('partner-credit-')).length, 1)
    child.kill('SIGTERM')
    deepEqual(await once(child, 'close'), [143, null])
    deepEqual(readdirSync(folder), ['orders.csv'])
  })

  test('ends quietly, and not with 0, when nobody reads on', async () => {
    const child = spawn(process.execPath, [main, 'awards', '--tenant', 't1'], {
      env: { ...process.env, ...environmentOf(live) },
    })
    child.stdout.destroy()
    let complaints = ''
    child.stderr.on('data', (chunk) => {
      complaints += chunk
    })
    deepEqual(await once(child, 'close'), [141, null])
    equal(complaints, '')
  })
})
