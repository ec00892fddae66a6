import { deepEqual, equal, match } from 'node:assert/strict'
import { linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, startLive } from '../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from './command-line.ts'

describe('the file of --output', async () => {
  const live = await startLive({ after })
  const environment = environmentOf(live)
  await live.credit.award(anOrder({ orderId: 'a', userEmail: 'a@example.com', amount: 1000 }))
  const list = 'order,email,amount\na,a@example.com,1000\n'
  const run = (...args: string[]) => runCommand([...args, '--tenant', 't1'], { environment, stdin: list })

  test('only its user can read it, also where a killed process left another behind', async (t) => {
    const output = join(temporaryFolder(t), 'out.csv')
    for (const command of [['awards'], ['reconcile', '-']]) {
      writeFileSync(`${output}.part`, 'left', { mode: 0o644 })
      const { code, stderr } = await run(...command, '--output', output)
      equal(code, 0, stderr)
      equal(statSync(output).mode & 0o777, 0o600)
    }
  })

  test('it is never the list that is read, whatever its name: exit code 2, and the list is unchanged', async (t) => {
    const folder = temporaryFolder(t)
    const path = (name: string) => `${folder}/${name}`
    writeFileSync(path('list.csv'), list)
    writeFileSync(path('next.csv.part'), list)
    symlinkSync('list.csv', path('symbolic.csv'))
    linkSync(path('list.csv'), path('hard.csv'))
    const before = readdirSync(folder)
    for (const [input, output] of [
      ['list.csv', 'list.csv'],
      ['list.csv', './list.csv'],
      ['list.csv', 'symbolic.csv'],
      ['symbolic.csv', 'list.csv'],
      ['list.csv', 'hard.csv'],
      ['next.csv.part', 'next.csv'],
    ] as const) {
      const { code, stderr } = await run('reconcile', path(input), '--output', path(output))
      equal(code, 2, `${input} ${output}`)
      match(stderr, /--output .* would replace .*: name another file/)
      equal(readFileSync(path(input), 'utf8'), list)
      deepEqual(readdirSync(folder), before)
    }
  })
})
