/** JSON.stringify escapes characters below U+0020; terminals interpret more than those. */
export function jsonText(result: unknown): string {
  return JSON.stringify(result, null, 2).replace(unsafeInJson, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Makes text from the database or from outside safe for a terminal: control characters, line breaks, text direction
 * marks and other invisible characters, by which two ids can look alike, are written as escapes.
 */
export function terminalSafe(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** The same for text of several lines. */
export function terminalSafeLines(text: string): string {
  return text.split('\n').map(terminalSafe).join('\n')
}

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}
