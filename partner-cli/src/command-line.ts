import type { Command, Option } from 'commander'
import { connectionOptions } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** One call of the program, as its commands see it. */
export type CommandLine = Surroundings & {
  args: string[]
  /** Sets the exit code of a command that was carried out: 0, or 1 if it was refused or found differences. */
  finish(code: 0 | 1): void
}

/** A command that calls the service. */
export function serviceCommand(
  program: Command,
  { args }: CommandLine,
  { name, usage, description, options }: Described,
): Command {
  const command = program.command(name).usage(usage).description(description)
  for (const option of [...options, ...connectionOptions(args)]) command.addOption(option)
  return command
}

type Described = { name: string; usage: string; description: string; options: Option[] }
