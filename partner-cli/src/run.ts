import { PartnerCreditError } from '../../sdk/src/index.ts'
import { award } from './award.ts'
import { awards } from './awards.ts'
import type { Command } from './command.ts'
import { nearest } from './nearest.ts'
import { NoAnswer } from './no-answer.ts'
import { reconcile } from './reconcile.ts'
import type { Surroundings } from './surroundings.ts'
import { harmless } from './table.ts'
import { version } from './version.ts'

const commands: Record<string, Command> = { award, awards, reconcile }

/** 0: done. 1: the answer is no: the award was refused, or the lists differ. 2: there is no answer. */
type ExitCode = 0 | 1 | 2

export async function run(args: string[], surroundings: Surroundings): Promise<ExitCode> {
  const { stdout, stderr } = surroundings
  const [name, ...rest] = args
  const isAskedForHelp = name === '--help' || name === '-h' || name === 'help'
  if (name === undefined || isAskedForHelp) {
    ;(isAskedForHelp ? stdout : stderr).write(overview)
    return isAskedForHelp ? 0 : 2
  }
  if (name === '--version') {
    stdout.write(`${version}\n`)
    return 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name]! : null
  if (command !== null && rest.some((argument) => argument === '--help' || argument === '-h')) {
    stdout.write(`Usage: ${command.usage}\n\n${settingsHelp}`)
    return 0
  }
  try {
    if (command === null) throw new NoAnswer(unknownCommand(name))
    return await command.run(rest, surroundings)
  } catch (error) {
    const lines = `partner-credit-cli: ${messageOf(error)}`.split('\n').map(harmless)
    stderr.write(`${lines.join('\n')}\n`)
    if (error instanceof NoAnswer) {
      if (command !== null) stderr.write(`partner-credit-cli ${name} --help shows the options\n`)
      return 2
    }
    if (name !== 'award') return 2
    if (isRefusal(error)) return 1
    stderr.write('It may have been credited or not: the same command later finds out.\n')
    return 2
  }
}

/** The service has said no. Anything else leaves open whether the award was credited. */
function isRefusal(error: unknown): boolean {
  return error instanceof PartnerCreditError && !error.retryable && error.code !== 'UNEXPECTED_RESPONSE'
}

function messageOf(error: unknown): string {
  if (error instanceof PartnerCreditError || error instanceof NoAnswer) return error.message
  const isOfSystem = error instanceof Error && 'syscall' in error
  return isOfSystem ? error.message : String(error instanceof Error ? error.stack : error)
}

function unknownCommand(name: string): string {
  const names = Object.keys(commands)
  const near = nearest(name, names)
  const hint = near === null ? `the commands are ${names.join(', ')}` : `did you mean ${near}?`
  // Something that was pasted by mistake is not repeated: it could be the secret.
  return /^[a-z-]{1,20}$/.test(name) ? `unknown command ${name}: ${hint}` : `unknown command: ${hint}`
}

const settingsHelp = `Settings, from the environment or from a file (--settings <file>, NAME=value a line):
  PARTNER_CREDIT_URL               where the service is, without /v1 (or --url <url>)
  PARTNER_CREDIT_API_KEY           pck_…
  PARTNER_CREDIT_SIGNING_SECRET    pcs_…

Exit codes: 0 done; 1 the award was refused, or the lists differ; 2 no answer: the command, a setting or a file is
wrong, or the service was not reached.
`

const overview = `Usage: partner-credit-cli <command> [options]

Credits loyalty points (EP) through the Partner Credit service.

  award       credit an order
  awards      list your awards
  reconcile   compare your list of orders with the awards

partner-credit-cli <command> --help shows the options of a command.

${settingsHelp}`
