import { parseArgs } from 'node:util'
import { nearest } from './nearest.ts'
import { NoAnswer } from './no-answer.ts'

/** `text` takes a value, `flag` takes none. */
export type OptionKinds = Record<string, 'text' | 'flag'>

export type Arguments<T extends OptionKinds> = {
  options: { [K in keyof T]?: T[K] extends 'flag' ? boolean : string }
  positionals: string[]
}

/** Every option at most once, and none that the command does not know. */
export function readArguments<T extends OptionKinds>(args: string[], kinds: T): Arguments<T> {
  const names = Object.entries(kinds)
  const { tokens, positionals } = parseArgs({
    args,
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      names.map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' } as const]),
    ),
  })
  const options: Record<string, string | boolean> = {}
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!Object.hasOwn(kinds, name)) throw new NoAnswer(unknownOption(rawName, Object.keys(kinds)))
    if (Object.hasOwn(options, name)) throw new NoAnswer(`${rawName} is given twice`)
    if (kinds[name] === 'flag') {
      if (value !== undefined) throw new NoAnswer(`${rawName} takes no value`)
      options[name] = true
      continue
    }
    // "--note --json" forgot the note; a note that begins with a dash is written --note=-…
    if (value === undefined || (!token.inlineValue && value.startsWith('-') && value !== '-')) {
      throw new NoAnswer(`${rawName} needs a value; one that begins with - is written ${rawName}=-…`)
    }
    options[name] = value
  }
  return { options: options as Arguments<T>['options'], positionals }
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new NoAnswer(`${option} is missing`)
  return value
}

/** 1 and above, in plain digits. */
export function wholeNumber(value: string, option: string): number {
  const number = Number(value)
  if (!/^[1-9]\d*$/.test(value) || !Number.isSafeInteger(number)) {
    throw new NoAnswer(`${option} must be a whole number above zero, in digits only`)
  }
  return number
}

export function oneOf<T extends string>(value: string, choices: readonly T[], option: string): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw new NoAnswer(`${option} must be one of ${choices.join(', ')}`)
  return found
}

function unknownOption(rawName: string, known: string[]): string {
  if (/secret/.test(rawName)) {
    return `${rawName} is not an option: everyone on this machine can read arguments. Set PARTNER_CREDIT_SIGNING_SECRET, or write it into a file for --settings`
  }
  const near = nearest(rawName.replace(/^-+/, ''), known)
  return `unknown option ${rawName}${near === null ? '' : `: did you mean --${near}?`}`
}
