import { AssertionError } from 'node:assert'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { addCommands } from './commands.ts'
import { NoReason } from './reason.ts'
import { terminalSafeLines } from '../terminal/safe-text.ts'

/** Exit codes: 0 success, 1 failure (or the ledger is not sound), 2 usage error, 3 the answer to a question is no. */
export async function run(args: string[]): Promise<void> {
  const program = new Command('partner-credit')
    .description('The ledger through which partners credit loyalty points (EP) to users.')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .version(readVersion())
  // Subcommands inherit the error handling, so they are added after it is configured.
  await addCommands(program, args[0])
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = await report(error)
  }
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

async function report(error: unknown): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    if (error.code === 'commander.help') return 2 // the help page was printed already
    printError(error.message.replace(/^error: /, '').replaceAll('\n', ' '))
    return 2
  }
  if (error instanceof ConfigError || error instanceof NoReason) {
    printError(error.message)
    return 2
  }
  const isBug = error instanceof TypeError || error instanceof RangeError || error instanceof AssertionError
  if (isBug || !(error instanceof Error)) console.error(terminalSafeLines(inspect(error)))
  else {
    // Loaded here: some commands need no store.
    const { adviceFor, isNoAnswer } = await import('../stores/open.ts')
    const advice = adviceFor(error)
    const message =
      advice === null ? error.message : `the ledger cannot be used (${error.message}): ${advice}`
    printError(isNoAnswer(error) ? noAnswer : message)
  }
  return 1
}

const noAnswer =
  'PostgreSQL accepted the connection but did not respond to a statement in time: the server or its session is stopped or overloaded, and the statement changed nothing. Check the database server, then run the command again'

/** Escapes control characters: the message may quote a file or the database. */
function printError(message: string): void {
  console.error(`partner-credit: ${terminalSafeLines(message)}`)
}
