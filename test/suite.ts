import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { styleText } from 'node:util'
import { startPostgres, stopPostgres } from './support/postgres-server.ts'
import { inMemory } from './support/scratch-folder.ts'

/**
 * `npm test`: every script of package.json that begins with `test:`, in that order, so many at a time as keep two cores
 * busy: some mostly wait. They share one PostgreSQL. What a step printed comes in one piece when it has ended: whole where it failed,
 * else only its sums.
 */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const waiting = Object.keys(scripts).filter((name) => name.startsWith('test:'))
const atOnce = 4

process.env.TEST_FOLDER ??= inMemory()
await startPostgres()
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

async function runWaiting(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const started = performance.now()
    const { code, output } = await run(step)
    const seconds = Math.round((performance.now() - started) / 1000)
    if (code !== 0) failed.push(step)
    console.log(`\n${code === 0 ? '✔' : '✖'} ${step}, ${seconds} s`)
    console.log(code === 0 ? sumsOf(output) : output)
  }
}

function run(step: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--run', step], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** The reporter's sums, and what it had to say about coverage. */
function sumsOf(output: string): string {
  return output
    .split('\n')
    .filter((line) => line.startsWith('ℹ '))
    .join('\n')
}
