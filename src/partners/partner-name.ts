import { controlCharacterRule, hasControlCharacters } from '../rules/control-characters.ts'

const nameLengthMax = 200

/** What is wrong with the name of a new partner. */
export function nameProblem(name: string): string | null {
  return knownNameProblem(name) ?? (hasControlCharacters(name) ? controlCharacterRule : null)
}

/**
 * For a partner that exists already. Older versions accepted control characters, and a name cannot be changed. If they were
 * refused here, such a ledger could not be restored. Code that prints a name escapes them.
 */
export function knownNameProblem(name: string): string | null {
  return name.trim() === '' || [...name].length > nameLengthMax
    ? `must have 1 to ${nameLengthMax} characters`
    : null
}
