import { controlCharacterRule, hasControlCharacters } from '../rules/control-characters.ts'

const nameLengthMax = 200

/** What is wrong with the name of a partner. */
export function faultOfName(name: string): string | null {
  if (name.trim() === '' || name.length > nameLengthMax) return `must have 1 to ${nameLengthMax} characters`
  return hasControlCharacters(name) ? controlCharacterRule : null
}
