import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import { aSeed } from './seeded-random.ts'

/** What a long run found: its figures, and everything that should never have happened. */
export type Report = { figures: Record<string, number | string>; violations: string[] }

type Options = Record<string, number | string | boolean>
type Widened<T extends Options> = {
  [K in keyof T]: T[K] extends number ? number : T[K] extends boolean ? boolean : string
}

const violationsShownMax = 20

/**
 * A command that runs as long as you like. Its options have the names and the types of their defaults, and
 * `--seed S` repeats a run. It prints its figures (`--json`: as one document) and its violations. The exit code is 1
 * if there is a violation, 2 after a usage error.
 */
export async function longRun<T extends Options>(
  name: string,
  defaults: T,
  run: (options: Widened<T> & { seed: number }) => Promise<Report>,
  args: string[] = process.argv.slice(2),
): Promise<void> {
  let options: Widened<T> & { seed: number; json: boolean }
  try {
    options = readOptions({ ...defaults, seed: aSeed(), json: false }, args) as typeof options
  } catch (error) {
    const known = Object.keys(defaults).map((option) => `--${option}`)
    console.error(
      `${name}: ${(error as Error).message}\noptions: ${[...known, '--seed', '--json'].join(' ')}`,
    )
    process.exitCode = 2
    return
  }
  const { json, ...chosen } = options
  if (!json) console.log(`${name}, seed ${options.seed}`)
  const started = performance.now()
  const { figures, violations } = await run(chosen as unknown as Widened<T> & { seed: number })
  const seconds = Math.round((performance.now() - started) / 100) / 10
  const all = { ...figures, violations: violations.length, seconds }
  if (json) console.log(JSON.stringify({ run: name, ...chosen, ...all, violated: violations }))
  else
    console.log(
      table(
        ['figure', 'value'],
        Object.entries(all).map(([figure, value]) => [figure, shown(value)]),
      ),
    )
  if (violations.length === 0) return
  for (const violation of violations.slice(0, violationsShownMax)) console.error(`violated: ${violation}`)
  process.exitCode = 1
}

function readOptions(defaults: Options, args: string[]): Options {
  const types = Object.entries(defaults).map(
    ([name, value]) => [name, { type: typeof value === 'boolean' ? 'boolean' : 'string' } as const] as const,
  )
  const { values } = parseArgs({ args, options: Object.fromEntries(types) })
  const read = Object.entries(values).map(([name, value]) => {
    if (typeof defaults[name] !== 'number') return [name, value!] as const
    if (!/^\d{1,15}$/.test(String(value))) throw new Error(`--${name} must be a whole number, not ${value}`)
    return [name, Number(value)] as const
  })
  return { ...defaults, ...Object.fromEntries(read) }
}

function shown(value: number | string): string {
  return typeof value === 'number' ? value.toLocaleString('en') : value
}
