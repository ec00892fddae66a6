import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { masterKeyFromFile, proveMasterKey } from '../../src/access/master-key.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { type Lifetime, temporaryFolder } from './service.ts'

export type CommandResult = { code: number | null; stdout: string; stderr: string }

const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))
// Compiled code that all these processes share, and that the next run uses, too. Without it they start three times slower.
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

/** Runs the real command line in its own process, in `cwd`, with nothing of our environment but the path. */
export function runCommand(
  args: string[],
  {
    cwd,
    environment = {},
    input = '',
    node = process.execPath,
    program = launcher,
  }: { cwd: string; environment?: Record<string, string>; input?: string; node?: string; program?: string },
): Promise<CommandResult> {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...environment }
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
