import { longRun } from '../support/long-run.ts'
import { table } from '../../src/cli/output.ts'
import { scenarios } from './scenarios.ts'

/** npm run chaos -- <scenario> [options]: real processes, one history log, one checker. */
const [name = '', ...args] = process.argv.slice(2)
const chosen = scenarios[name]
if (chosen === undefined) {
  const rows = Object.entries(scenarios).map(([name, { what, defaults }]) => [
    name,
    Object.entries(defaults)
      .map(([option, value]) => `--${option} ${value}`)
      .join(' '),
    what,
  ])
  console.error(`which one?\n${table(['scenario', 'options', 'what happens'], rows)}`)
  process.exitCode = 2
} else {
  await longRun(`chaos ${name}`, chosen.defaults, chosen.run, args)
}
