import { Command, CommanderError } from 'commander'
import { PartnerCreditError } from '../../sdk/src/index.ts'
import { terminalSafeLines } from '../../src/terminal/safe-text.ts'
import { awardCommand } from './award.ts'
import { awardsCommand } from './awards.ts'
import type { CommandLine } from './command-line.ts'
import { doctorCommand } from './doctor.ts'
import { NoAnswer } from './no-answer.ts'
import { reconcileCommand } from './reconcile.ts'
import { signCommand } from './sign.ts'
import type { Surroundings } from './surroundings.ts'
import { version } from './version.ts'

const programName = 'partner-credit-cli'

/** 0: success. 1: the service refused it, the lists differ, or the signature is wrong. 2: no result. */
type ExitCode = 0 | 1 | 2

export async function run(args: string[], surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = 0
  const finish = (finished: 0 | 1) => {
    code = finished
  }
  const program = createProgram({ ...surroundings, args, finish })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    const name = program.commands.map((command) => command.name()).find((name) => name === args[0])
    return report(error, name, surroundings)
  }
}

function createProgram(line: CommandLine): Command {
  const { stdout, stderr } = line
  const program = new Command(programName)
    .description('Credits loyalty points (EP) through the Partner Credit service.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this page')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: () => {},
    })
    .addHelpText('afterAll', `\n${settingsHelp}`)
  // In the order of the help page. Subcommands inherit the error handling, so they are added after it is configured.
  awardCommand(program, line)
  awardsCommand(program, line)
  reconcileCommand(program, line)
  signCommand(program, line)
  doctorCommand(program, line)
  return program
}

function report(error: unknown, command: string | undefined, { stderr }: Surroundings): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  if (error instanceof CommanderError && error.code === 'commander.help') return 2 // the help page is printed
  stderr.write(`${programName}: ${terminalSafeLines(messageOf(error))}\n`)
  if (error instanceof NoAnswer || error instanceof CommanderError) {
    stderr.write(
      command === undefined
        ? `${programName} --help shows the commands\n`
        : `${programName} ${command} --help shows the options\n`,
    )
    return 2
  }
  // For reconcile, 1 means that the lists differ.
  if (isRefusal(error) && command !== 'reconcile') return 1
  if (command === 'award') {
    stderr.write('It may or may not have been credited. Run the same command again later to find out.\n')
  }
  return 2
}

/** The service refused it. After any other error an award may have been credited. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof PartnerCreditError)) return false
  return !error.retryable && !error.mayBeCredited && error.code !== 'UNEXPECTED_RESPONSE'
}

function messageOf(error: unknown): string {
  if (error instanceof CommanderError) return wrongCommand(error)
  if (error instanceof PartnerCreditError || error instanceof NoAnswer) return error.message
  const isOfSystem = error instanceof Error && 'syscall' in error
  return isOfSystem ? error.message : String(error instanceof Error ? error.stack : error)
}

/** What was pasted by mistake is not repeated: it could be the secret. */
function wrongCommand({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  if (code === 'commander.unknownCommand') {
    return /^unknown command '[a-z-]{1,20}'/.test(text) ? text : 'unknown command'
  }
  if (code !== 'commander.unknownOption') return text
  const [, name, value, hint = ''] =
    /^unknown option '(--?[a-z-]{1,30})(=.*)?'( \(Did you mean .*)?$/.exec(text) ?? []
  if (name === undefined) return 'unknown option'
  if (!name.includes('secret')) return `unknown option '${name}${value === undefined ? '' : '=…'}'${hint}`
  return `${name} is not an option: everyone on this machine can read arguments. Set SIGNING_SECRET, or write it into a file for --settings`
}

const settingsHelp = `Settings, from the environment or from a file (--settings <file>, NAME=value a line):
  BASE_URL          where the service is, without /v1 (or --url <url>)
  API_KEY           pck_…
  SIGNING_SECRET    pcs_…
  TENANT_ID         one of your tenants (or --tenant <tenant>)

Exit codes: 0 success; 1 the service refused it, the lists differ, or the signature is wrong; 2 no result: the command, a
setting or a file is wrong, or the service could not be reached.
`
