import { AssertionError } from 'node:assert'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { defaultsCommands } from './defaults.ts'
import { demoCommand } from './demo.ts'
import { distributeCommand } from './distribute.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { keyCommands } from './key.ts'
import { migrateCommand } from './migrate.ts'
import { spelledOutLines } from './output.ts'
import { partnerCommands } from './partner.ts'
import { serveCommand } from './serve.ts'
import { signCommand } from './sign.ts'
import { tenantCommands } from './tenant.ts'
import { verifyCommand } from './verify.ts'

/** Exit codes: 0 done, 1 could not be done (or the ledger is not sound), 2 the command itself was wrong. */
async function main(): Promise<void> {
  const program = new Command('partner-credit')
    .description('The ledger through which partners credit loyalty points (EP) to users.')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .version(readVersion())
  // Order is the order of the help page. Subcommands inherit how errors are handled, so they come after it.
  serveCommand(program)
  demoCommand(program)
  partnerCommands(program)
  tenantCommands(program)
  defaultsCommands(program)
  keyCommands(program)
  verifyCommand(program)
  migrateCommand(program)
  exportCommand(program)
  importCommand(program)
  distributeCommand(program)
  signCommand(program)
  doctorCommand(program)
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = report(error)
  }
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    if (error.code === 'commander.help') return 2 // the help page itself was the answer
    complain(error.message.replace(/^error: /, '').replaceAll('\n', ' '))
    return 2
  }
  if (error instanceof ConfigError) {
    complain(error.message)
    return 2
  }
  const isBug = error instanceof TypeError || error instanceof RangeError || error instanceof AssertionError
  if (isBug || !(error instanceof Error)) console.error(spelledOutLines(inspect(error)))
  else complain(error.message)
  return 1
}

/** What is wrong may quote what somebody wrote into a file or into the database. */
function complain(message: string): void {
  console.error(`partner-credit: ${spelledOutLines(message)}`)
}

// Started by the launcher (an older Node) or as a worker: if that process is killed outright, nobody is left to pass
// signals on, so end too.
if (process.channel !== undefined && process.channel !== null) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

await main()
