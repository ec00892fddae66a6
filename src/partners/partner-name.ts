import { controlCharacterRule, hasControlCharacters } from '../rules/control-characters.ts'

const nameLengthMax = 200

/** What is wrong with the name of a new partner. */
export function nameProblem(name: string): string | null {
  return knownNameProblem(name) ?? (hasControlCharacters(name) ? controlCharacterRule : null)
}

/**
 * Of a partner that exists already. Older versions let control characters in, and its name cannot be changed: to refuse it
 * would make its ledger one that cannot be restored. Whatever prints it spells them out.
 */
export function knownNameProblem(name: string): string | null {
  return name.trim() === '' || name.length > nameLengthMax
    ? `must have 1 to ${nameLengthMax} characters`
    : null
}
