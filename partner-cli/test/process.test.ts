import { deepEqual, doesNotMatch, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
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

  test('SIGUSR1 opens no debugger, which would show the secret to everybody on the machine, and it continues', async (t) => {
    const proxy = await startFaultyProxy(t, live.service.url)
    proxy.next({ status: 503, headers: { 'retry-after': '1' } })
    const arrival = proxy.arrival()
    const args = [main, 'awards', '--tenant', 't1', '--url', proxy.url]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...environmentOf(live) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const said = text(child.stderr)
    const closed = once(child, 'close')
    await arrival
    child.kill('SIGUSR1')
    deepEqual(await closed, [0, null])
    doesNotMatch(await said, /debugger/i)
  })

  test('asks at the terminal before it sends what is missing', async (t) => {
    if (!existsSync('/usr/bin/script')) return t.diagnostic('not run: it needs script, of util-linux')
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'orders.csv'), 'order,email,amount\nasked-1,a@example.com,1000\n')
    const env = { ...process.env, ...environmentOf(live) }
    for (const [typed, isSent] of [
      ['\x04', false],
      ['n\r', false],
      ['y\r', true],
    ] as const) {
      const command = `'${process.execPath}' '${main}' reconcile orders.csv --tenant t1 --resend`
      const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { cwd: folder, env })
      let seen = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const isAsked = seen.includes('Send them?')
        seen += text
        if (!isAsked && seen.includes('Send them?')) child.stdin.write(typed)
      })
      // The award of the test itself is not in the list.
      deepEqual(await once(child, 'close'), [1, null], seen)
      equal(seen.includes('Sent 1: 1 EP credited.'), isSent, seen)
      equal(seen.includes('Nothing was sent.'), !isSent, seen)
    }
  })

  test('killed while it sends, it credits each order once when it is run again', async (t) => {
    const { service, credit, ...own } = await startLive(t)
    const proxy = await startFaultyProxy(t, service.url)
    const folder = temporaryFolder(t)
    writeFileSync(
      join(folder, 'orders.csv'),
      'order,email,amount\nk-1,a@example.com,1000\nk-2,a@example.com,1000\n',
    )
    const env = { ...process.env, ...environmentOf(own), TMPDIR: folder }
    const run = (...options: string[]) => {
      const args = [main, 'reconcile', 'orders.csv', '--tenant', 't1', '--resend', '--yes', ...options]
      return spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' })
    }
    const credited = async () =>
      (await Array.fromAsync(credit.awards({ tenantId: 't1' }))).map(({ orderId }) => orderId)
    const history = proxy.arrival()
    const first = run('--url', proxy.url)
    const killed = once(first, 'close')
    await history
    proxy.next('is never answered')
    while ((await credited()).length === 0);
    first.kill('SIGKILL')
    deepEqual(await killed, [null, 'SIGKILL'])
    deepEqual(await credited(), ['k-1'])
    deepEqual(await once(run(), 'close'), [0, null])
    deepEqual(await credited(), ['k-2', 'k-1'])
  })

  test('ends quietly, and not with 0, when the reader closes the pipe', async () => {
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
