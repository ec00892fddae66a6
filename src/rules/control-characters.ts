/**
 * What a terminal or a page would obey instead of show: control characters (escape codes among them), line separators,
 * marks that turn the direction of the text around, and halves of a character.
 */
export function hasControlCharacters(text: string): boolean {
  return !text.isWellFormed() || obeyed.test(text)
}

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

export const controlCharacterRule = 'must not have control characters, line breaks or marks of text direction'
