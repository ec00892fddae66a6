import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { runProcess } from './support/command-line.ts'
import { familyOf } from './support/process-family.ts'
import { startPostgres, stopPostgres } from './support/postgres-server.ts'
import { inMemory } from './support/scratch-folder.ts'
import { startServerProcess } from './support/server-process.ts'

/**
 * `npm test` and `npm run test-more`: every script of package.json that begins with what the command names (`test:` or
 * `test-more:`), in that order: those that take longest come first, so that none of them ends alone. Three run at a time
 * on two cores, because they also wait. With more at a time, a slow machine takes as long, and what has a deadline misses
 * it. They share one PostgreSQL.
 * The output of a step is printed when it has ended: all of it if it failed, otherwise only its totals. A step that does
 * not end is ended, many times later than it should be: the output then tells which of its tests hung or failed.
 */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const waiting = Object.keys(scripts).filter((name) => name.startsWith(process.argv[2]!))
const atOnce = 3
const stepMs = 20 * 60_000
/** A test that failed may have left a thread or a connection open: then its step never ends, and prints no details. */
const quietAfterFailureMs = 5 * 60_000

if (waiting.length === 0) throw new Error('usage: node test/suite.ts test: (or test-more:)')
process.env.TEST_FOLDER ??= inMemory()
await Promise.all([startPostgres(), fillCompileCache()])
const failed: string[] = []
try {
  await Promise.all(Array.from({ length: atOnce }, runWaiting))
} finally {
  await stopPostgres()
}
if (failed.length > 0) {
  console.error(`\n${styleText('red', 'failed')}: ${failed.map((step) => `npm run ${step}`).join(', ')}`)
  process.exitCode = 1
}

/**
 * A process stores what it compiled when it ends. After a fresh install, each of the servers and commands that the first
 * steps start would compile everything, because none has ended by then.
 */
async function fillCompileCache(): Promise<void> {
  const folder = mkdtempSync(join(inMemory(), 'partner-credit-test-'))
  const database = { DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}` }
  const [server] = await Promise.all([startServerProcess(database), runProcess(['--help'], { cwd: folder })])
  await server.end('SIGTERM')
  rmSync(folder, { recursive: true })
}

async function runWaiting(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runAndReport(step)
}

async function runAndReport(step: string): Promise<void> {
  const started = performance.now()
  const { code, output } = await run(step)
  const seconds = Math.round((performance.now() - started) / 1000)
  if (code !== 0) failed.push(step)
  console.log(`\n${code === 0 ? '✔' : '✖'} ${step}, ${seconds} s`)
  console.log(code === 0 ? sumsOf(output) : output)
}

function run(step: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--run', step], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let isEnded = false
    let tooLong = setTimeout(end, stepMs)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (isEnded || !output.includes('✖')) return
        clearTimeout(tooLong)
        tooLong = setTimeout(end, quietAfterFailureMs)
      })
    }
    /** On SIGTERM, node:test prints what failed, and why. */
    async function end(): Promise<void> {
      isEnded = true
      output += '\nit did not end, and was ended\n'
      const family = await familyOf(child.pid!)
      tellAll(family, 'SIGTERM')
      tooLong = setTimeout(() => tellAll(family, 'SIGKILL'), 30_000)
    }
    child.once('close', (code) => {
      clearTimeout(tooLong)
      resolve({ code, output })
    })
  })
}

function tellAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {} // it has ended by now
  }
}

/** The reporter's totals, and what it says about coverage. */
function sumsOf(output: string): string {
  return output
    .split('\n')
    .filter((line) => line.startsWith('ℹ '))
    .join('\n')
}
