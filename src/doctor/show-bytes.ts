import { type Bytes, textOf } from './bytes.ts'

/** A byte as shown to people. A multi-byte character is shown at its first byte; the others are continuations. */
export type ShownByte = {
  hex: string
  text: string
  kind: 'plain' | 'space' | 'control' | 'continuation' | 'not-utf-8'
}

const names: Record<number, string> = { 0: 'NUL', 9: 'TAB', 10: 'LF', 13: 'CR', 27: 'ESC', 127: 'DEL' }

export function showBytes(bytes: Bytes): ShownByte[] {
  const shown: ShownByte[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfCharacter(bytes, at)
    const character = length === 0 ? null : textOf(bytes.slice(at, at + length))
    shown.push(character === null ? bad(bytes[at]!) : first(bytes[at]!, character))
    const rest = character === null ? 0 : length - 1
    for (let next = 1; next <= rest; next++) {
      shown.push({ hex: hexOf(bytes[at + next]!), text: '', kind: 'continuation' })
    }
    at += rest + 1
  }
  return shown
}

/** The bytes as one line of text, with symbols for invisible characters. */
export function visibleText(bytes: Bytes): string {
  return showBytes(bytes)
    .map(({ text, hex, kind }) => {
      if (kind === 'space') return ' '
      return kind === 'control' || kind === 'not-utf-8' ? `⟨${text || hex}⟩` : text
    })
    .join('')
}

function lengthOfCharacter(bytes: Bytes, at: number): number {
  const byte = bytes[at]!
  if (byte < 0x80) return 1
  if (byte >= 0xc2 && byte < 0xe0) return 2
  if (byte >= 0xe0 && byte < 0xf0) return 3
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0
}

function first(byte: number, character: string): ShownByte {
  const hex = hexOf(byte)
  if (character === ' ') return { hex, text: 'SP', kind: 'space' }
  if (byte < 32 || byte === 127) return { hex, text: names[byte] ?? '', kind: 'control' }
  if (character === '\ufeff') return { hex, text: 'BOM', kind: 'control' }
  // Characters that are invisible or combine with their neighbors.
  if (/[\p{Z}\p{Cc}\p{Cf}\p{M}]/u.test(character)) {
    return { hex, text: `U+${character.codePointAt(0)!.toString(16).toUpperCase()}`, kind: 'control' }
  }
  return { hex, text: character, kind: 'plain' }
}

function bad(byte: number): ShownByte {
  return { hex: hexOf(byte), text: '', kind: 'not-utf-8' }
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
