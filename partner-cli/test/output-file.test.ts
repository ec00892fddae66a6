import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, startLive } from '../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from './command-line.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

describe('the file of --output', async () => {
  const live = await startLive({ after })
  const environment = environmentOf(live)
  await live.credit.award(anOrder({ orderId: 'a', userEmail: 'a@example.com', amount: 1000 }))
  const list = 'order,email,amount\na,a@example.com,1000\n'
  const run = (...args: string[]) => runCommand([...args, '--tenant', 't1'], { environment, stdin: list })

  test('only its user can read it, also where it was open to others', async (t) => {
    const output = join(temporaryFolder(t), 'out.csv')
    for (const command of [['awards'], ['reconcile', '-']]) {
      writeFileSync(output, 'old', { mode: 0o644 })
      const { code, stderr } = await run(...command, '--output', output)
      equal(code, 0, stderr)
      equal(statSync(output).mode & 0o777, 0o600)
    }
  })

  test('no other file is changed or removed, also while it is written, and none is left behind', async (t) => {
    const folder = temporaryFolder(t)
    const own = ['out.csv.part', 'list.csv.part']
    for (const name of own) writeFileSync(`${folder}/${name}`, list)
    const before = own.map((name) => statSync(`${folder}/${name}`).ino)
    for (const command of [['awards'], ['reconcile', '-'], ['reconcile', `${folder}/out.csv.part`]]) {
      const { code, stderr } = await run(...command, '--output', `${folder}/out.csv`)
      equal(code, 0, stderr)
      const refused = [...command, '--output', `${folder}/refused.csv`, '--tenant', 't9']
      const failed = await runCommand(refused, { environment, stdin: list })
      match(failed.stderr, /TENANT_NOT_ALLOWED/)
      deepEqual(readdirSync(folder).toSorted(), ['list.csv.part', 'out.csv', 'out.csv.part'])
      for (const [index, name] of own.entries()) {
        equal(readFileSync(`${folder}/${name}`, 'utf8'), list)
        equal(statSync(`${folder}/${name}`).ino, before[index])
      }
    }
  })

  test('two commands that write it at once both succeed, and it is whole', async (t) => {
    const folder = temporaryFolder(t)
    const written = await Promise.all(
      Array.from({ length: 4 }, () => run('awards', '--format', 'csv', '--output', `${folder}/out.csv`)),
    )
    deepEqual(
      written.map(({ code }) => code),
      [0, 0, 0, 0],
    )
    match(readFileSync(`${folder}/out.csv`, 'utf8'), /^orderId,.*\r\na,a@example\.com,1,.*\r\n$/)
    deepEqual(readdirSync(folder), ['out.csv'])
  })

  test('it is never the list that is read, whatever its name: exit code 2, and the list is unchanged', async (t) => {
    const folder = temporaryFolder(t)
    const path = (name: string) => `${folder}/${name}`
    writeFileSync(path('list.csv'), list)
    symlinkSync('list.csv', path('symbolic.csv'))
    linkSync(path('list.csv'), path('hard.csv'))
    const before = readdirSync(folder)
    for (const [input, output] of [
      ['list.csv', 'list.csv'],
      ['list.csv', './list.csv'],
      ['list.csv', 'symbolic.csv'],
      ['symbolic.csv', 'list.csv'],
      ['list.csv', 'hard.csv'],
    ] as const) {
      const { code, stderr } = await run('reconcile', path(input), '--output', path(output))
      equal(code, 2, `${input} ${output}`)
      match(stderr, /--output .* would replace .*: name another file/)
      equal(readFileSync(path(input), 'utf8'), list)
      deepEqual(readdirSync(folder), before)
    }
  })

  /** In a shell, with its redirections; CLI is the command. */
  const inShell = async (folder: string, script: string) => {
    const env = { ...process.env, ...environment, TENANT_ID: 't1' }
    const command = script.replaceAll('CLI', `'${process.execPath}' '${main}'`)
    const child = spawn('/bin/sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const stderr = text(child.stderr)
    const [code] = await once(child, 'close')
    return { code, stderr: await stderr }
  }

  test('it is never the list on standard input: exit code 2, and the list is unchanged', async (t) => {
    const folder = temporaryFolder(t)
    writeFileSync(`${folder}/list.csv`, list)
    const { code, stderr } = await inShell(folder, 'CLI reconcile - --output list.csv < list.csv')
    match(stderr, /--output list\.csv would replace standard input, which is read: name another file/)
    equal(code, 2)
    equal(readFileSync(`${folder}/list.csv`, 'utf8'), list)
  })

  test('it is never the file of --settings: exit code 2, and the settings are unchanged', async (t) => {
    const file = join(temporaryFolder(t), 'credit.env')
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(file, settings.join(''), { mode: 0o600 })
    for (const command of [['awards'], ['reconcile', '-']]) {
      const { code, stderr } = await run(...command, '--settings', file, '--output', file)
      match(stderr, /--output .* would replace .*credit\.env, which is read: name another file/)
      equal(code, 2)
      equal(readFileSync(file, 'utf8'), settings.join(''))
    }
  })

  test('a symbolic link stays one, and the file that it leads to has the result', async (t) => {
    const folder = temporaryFolder(t)
    mkdirSync(`${folder}/shared`)
    writeFileSync(`${folder}/shared/target.csv`, 'old')
    symlinkSync('shared/target.csv', `${folder}/link.csv`)
    const { code, stderr } = await run('awards', '--format', 'csv', '--output', `${folder}/link.csv`)
    equal(code, 0, stderr)
    equal(readlinkSync(`${folder}/link.csv`), 'shared/target.csv')
    match(readFileSync(`${folder}/shared/target.csv`, 'utf8'), /^orderId,.*\r\na,a@example\.com,1,/)
    deepEqual(readdirSync(folder, { recursive: true }).toSorted(), [
      'link.csv',
      'shared',
      'shared/target.csv',
    ])
  })

  // Through links in its own folder: run by root, a command that replaced /dev/stdout would harm the machine.
  test('standard output, by a name of its own, is written to and not replaced', async (t) => {
    const folder = temporaryFolder(t)
    symlinkSync('/dev/fd/1', `${folder}/stdout`)
    symlinkSync('stdout', `${folder}/link`)
    const awards = 'CLI awards --format csv --output'
    for (const name of ['stdout', 'link']) {
      const script = `{ echo before; ${awards} ${name}; echo after; } > report.csv`
      const { code, stderr } = await inShell(folder, script)
      deepEqual([code, stderr], [0, ''])
      match(readFileSync(`${folder}/report.csv`, 'utf8'), /^before\norderId,.*\r\na,a@.*\r\nafter\n$/)
      const piped = await inShell(folder, `${awards} ${name} | cat > piped.csv`)
      deepEqual([piped.code, piped.stderr], [0, ''])
      match(readFileSync(`${folder}/piped.csv`, 'utf8'), /^orderId,.*\r\na,a@.*\r\n$/)
    }
    deepEqual(
      ['stdout', 'link'].map((name) => readlinkSync(`${folder}/${name}`)),
      ['/dev/fd/1', 'stdout'],
    )
  })
})
