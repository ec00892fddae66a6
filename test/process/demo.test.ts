import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'

const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname

test('the demo prints a signed award and a signed history that work as pasted, and keeps traffic flowing', async (t) => {
  const env = { ...process.env, PORT: '0', OPERATOR_PORT: '0' }
  const demo = spawn(process.execPath, [launcher, 'demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => void demo.kill('SIGKILL'))
  let printed = ''
  demo.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await eventually('an award of its own traffic', () => /202 {2}demo-\d+/.test(printed))

  const [award, history] = [...printed.matchAll(/^curl -i (?:.*\\\n)*.*$/gm)].map(([command]) => command)
  assert.match(await paste(award!), /^HTTP\/1\.1 202 /)
  assert.match(await paste(award!), /"code":"DUPLICATE"/)
  assert.match(await paste(history!), /"userEmail":"you@example\.com","points":12/)

  const ended = once(demo, 'exit')
  demo.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})

async function paste(command: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', command])).stdout
}
