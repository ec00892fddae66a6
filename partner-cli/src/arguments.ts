import { Option } from 'commander'
import { NoAnswer } from './no-answer.ts'

/**
 * An option with a value: at most once, and never an option that follows it by mistake ("--note --json" forgot the
 * note). What is wrong with it is said without the value, which may be the secret.
 */
export function valueOption<T = string>(
  args: string[],
  flags: string,
  description: string,
  read: (text: string, name: string) => T = (text) => text as T,
): Option {
  const option = new Option(flags, description)
  const name = option.long!
  return option.argParser((text, earlier) => {
    if (earlier !== undefined) throw new NoAnswer(`${name} is given twice`)
    if (text.startsWith('-') && text !== '-' && args.includes(text)) {
      throw new NoAnswer(`${name} needs a value; one that begins with - is written ${name}=-…`)
    }
    if (text === '') throw new NoAnswer(`${name} is empty`)
    return read(text, name)
  })
}

/** 1 and above, in plain digits. */
export function wholeNumber(text: string, name: string): number {
  if (!/^[1-9]\d*$/.test(text))
    throw new NoAnswer(`${name} must be a whole number above zero, in digits only`)
  const number = Number(text)
  if (!Number.isSafeInteger(number))
    throw new NoAnswer(`${name} is too large: it can be at most ${Number.MAX_SAFE_INTEGER}`)
  return number
}

function oneOf<T extends string>(choices: readonly T[]): (text: string, name: string) => T {
  return (text, name) => {
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw new NoAnswer(`${name} must be one of ${choices.join(', ')}`)
    return found
  }
}

const formats = ['table', 'csv', 'json'] as const
export type Format = (typeof formats)[number]

/** The options of a command that lists something. */
export type ListOptions = { format?: Format; json?: boolean; output?: string }

export function listOptions(args: string[]): Option[] {
  return [
    valueOption(args, '--format <format>', 'table, csv or json', oneOf(formats)),
    new Option('--json', 'the same as --format json'),
    valueOption(args, '--output <file>', 'write there instead of to standard output'),
  ]
}

export function formatOf({ json, format = 'table' }: ListOptions): Format {
  return json ? 'json' : format
}
