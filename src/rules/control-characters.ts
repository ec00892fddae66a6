/**
 * What a terminal or a page would interpret instead of showing: control characters (including escape codes), line
 * separators, marks that change the text direction, and lone surrogates.
 */
export function hasControlCharacters(text: string): boolean {
  return !text.isWellFormed() || obeyed.test(text)
}

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

export const controlCharacterRule = 'must not have control characters, line breaks or marks of text direction'
