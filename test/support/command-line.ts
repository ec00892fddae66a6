import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { masterKeyFromFile, proveMasterKey } from '../../src/access/master-key.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import type { HostedCommand, HostedResult } from './command-host.ts'
import { type Lifetime, temporaryFolder } from './service.ts'

export type CommandResult = { code: number | null; stdout: string; stderr: string }

const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))
const hostProgram = fileURLToPath(new URL('./command-host.ts', import.meta.url))
// Compiled code that all these processes share, and that the next run uses, too. Without it they start three times slower.
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

type CommandOptions = {
  cwd: string
  environment?: Record<string, string>
  input?: string
  node?: string
  program?: string
}

/**
 * Runs the command line in `cwd`, with nothing of our environment but the path. Most commands run in a process that they
 * share with the ones before (command-host.ts). Those that read standard input, write a whole ledger to standard output or
 * wait for a signal, and tests of the launcher, get one of their own.
 */
export function runCommand(args: string[], options: CommandOptions): Promise<CommandResult> {
  const { input, node, program } = options
  const [name] = args
  const needsOwn = name === 'serve' || name === 'demo' || (name === 'export' && !args.includes('--out'))
  const isGiven = [input, node, program].some((given) => given !== undefined)
  return needsOwn || isGiven ? runProcess(args, options) : runHosted(args, options)
}

function environmentOf(environment: Record<string, string> = {}) {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...environment }
}

let host: ChildProcess | undefined
let hosted: Promise<unknown> = Promise.resolve()

function runHosted(args: string[], { cwd, environment }: CommandOptions): Promise<CommandResult> {
  const command: HostedCommand = { args, cwd, env: environmentOf(environment) }
  // A promise of our own: node:test takes what continues after one of `hosted` for a part of the file, not of its suite.
  return new Promise((resolve, reject) => {
    hosted = hosted.then(() => sendToHost(command)).then(resolve, reject)
  })
}

async function sendToHost(command: HostedCommand): Promise<CommandResult> {
  // Without our flags: with --test it would be a run of tests itself.
  host ??= fork(hostProgram, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const used = host
  used.ref()
  used.channel!.ref()
  const answered = new AbortController()
  const ended = once(used, 'exit', answered).then(([code]) => {
    host = undefined
    throw new Error(`the process of the commands ended with ${code}: ${command.args.join(' ')}`)
  })
  used.send(command)
  const [{ isSpent, ...result }] = (await Promise.race([once(used, 'message', answered), ended])) as [
    HostedResult,
  ]
  answered.abort()
  ended.catch(() => {})
  // It ends with us: it must not keep us from ending.
  used.unref()
  used.channel!.unref()
  if (isSpent) {
    used.disconnect()
    host = undefined
  }
  return result
}

/** The real command line in a process of its own. */
export function runProcess(
  args: string[],
  { cwd, environment, input = '', node = process.execPath, program = launcher }: CommandOptions,
): Promise<CommandResult> {
  const env = environmentOf(environment)
  return new Promise((resolve, reject) => {
    const child = spawn(node, [program, ...args], { cwd, env })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.on('error', () => {}) // it may have ended without reading
    child.stdin.end(input)
  })
}

/** Where the ledger is by default. */
export const database = 'data/partner-credit.db'

/** A folder as it is after first use: a ledger in its usual place, with acme (t1, t2) and its key. */
export async function aFolder(test: Lifetime) {
  const cwd = temporaryFolder(test)
  const store = openSqlite(join(cwd, database))
  const masterKey = masterKeyFromFile(join(cwd, 'data/master.key'))
  await proveMasterKey(store.partners, masterKey)
  const operator = { store: store.partners, actor: 'test', now: Date.parse('2026-01-02T03:04:05.678Z') }
  const partner = { partnerId: 'acme', name: 'Acme', tenants: ['t1', 't2'], perTx: null, perPartnerDay: null }
  const acme = await createPartner(operator, partner, masterKey)
  test.after(() => store.close())
  return {
    cwd,
    acme,
    operator,
    masterKey,
    run: (...args: string[]) => runCommand(args, { cwd }),
    /** Runs it as a script does; returns the JSON document that it printed. */
    json: async (...args: string[]) => documentOf(await runCommand([...args, '--json'], { cwd })),
    partners: () => store.partners.partners(),
    tenants: () => store.partners.tenants(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test says itself, by its assertions, what the document must be
export function documentOf({ code, stdout, stderr }: CommandResult): any {
  assert.equal(stderr, '')
  assert.equal(code, 0)
  return JSON.parse(stdout)
}

export function textOf({ code, stdout, stderr }: CommandResult): string {
  assert.equal(stderr, '')
  assert.equal(code, 0)
  assert.throws(() => JSON.parse(stdout), 'text for people is no JSON')
  assert.doesNotMatch(stdout, /\u001b/, 'no colors where there is no terminal')
  return stdout
}

/** One line on standard error, nothing on standard output. */
export function complaintOf({ code, stdout, stderr }: CommandResult, expectedCode: number): string {
  assert.equal(code, expectedCode, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, /^partner-credit: [^\n]+\n$/, 'one line')
  return stderr
}
