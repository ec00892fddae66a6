import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import { aSeed } from '../support/seeded-random.ts'
import { type PlantedBug, plantedBugs } from './bugs.ts'

/**
 * npm run prove-harness: every planted bug must be found by its harness. (That the harnesses find nothing if no bug
 * is planted is shown by their own long runs.) A harness that misses a bug is incomplete.
 */
const { values } = parseArgs({
  options: {
    bug: { type: 'string', default: '' },
    seed: { type: 'string', default: String(aSeed()) },
    json: { type: 'boolean', default: false },
  },
})

const results = []
for (const bug of plantedBugs.filter(({ name }) => name.includes(values.bug))) {
  results.push(await prove(bug))
  if (!values.json) console.log(lineOf(results.at(-1)!))
}
const missed = results.filter(({ found }) => !found)
if (values.json) console.log(JSON.stringify({ seed: Number(values.seed), results }))
else {
  const rows = results.map(({ bug, harness, found, seconds }) => [bug, harness, found ? seconds : 'MISSED'])
  console.log(`\nseed ${values.seed}\n${table(['planted bug', 'harness', 'seconds to find'], rows)}`)
}
if (missed.length > 0 || results.length === 0) process.exitCode = 1

type Proof = { bug: string; harness: string; found: boolean; seconds: number; said: string }

async function prove({ name, harness: { program, args, says } }: PlantedBug): Promise<Proof> {
  const started = performance.now()
  const { code, output } = await run(program, args, {
    PLANTED_BUG: name,
    NODE_OPTIONS: `--import=${new URL('./plant.ts', import.meta.url)}`,
  })
  const seconds = Math.round((performance.now() - started) / 100) / 10
  const said = violatedIn(output).find((violation) => says.test(violation)) ?? ''
  const harness = [program.split('/').at(-2), args[0]!.startsWith('--') ? '' : args[0]].join(' ').trim()
  return { bug: name, harness, found: code === 1 && said !== '', seconds, said: said || output.slice(-2000) }
}

async function run(program: string, args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [program, ...args, '--seed', values.seed, '--json'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = once(child, 'exit')
  const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)])
  return { code: (await exit)[0], output: `${out}\n${err}` }
}

/** A program that crashed has printed no document. */
function violatedIn(output: string): string[] {
  const document = output.split('\n').find((line) => line.startsWith('{"run":'))
  return document === undefined ? [] : JSON.parse(document).violated
}

function lineOf({ bug, found, said }: Proof): string {
  return found ? `found: ${bug}: ${said}` : `MISSED: ${bug}\n${said}`
}
