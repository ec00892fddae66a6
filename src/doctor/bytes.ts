/** Bytes as WebCrypto takes them. This folder also runs in browsers, so there is no Buffer. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

export function utf8(text: string): Bytes {
  return encoder.encode(text)
}

/** Null if the bytes are not UTF-8. Keeps a byte order mark. */
export function textOf(bytes: Bytes): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

export function joined(...parts: Bytes[]): Bytes {
  return joinedAll(parts)
}

/** For as many parts as a pasted text may have: there is a limit to the arguments of a call. */
export function joinedAll(parts: Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export function sameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

export function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Null if the text is not pairs of hex digits. */
export function fromHex(text: string): Bytes | null {
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) return null
  return Uint8Array.from(text.match(/../g)!, (digits) => Number.parseInt(digits, 16))
}

export function toBase64(bytes: Bytes): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Accepts both base64 alphabets, with or without padding; null if it is neither. */
export function fromBase64(text: string): Bytes | null {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

export function utf16(text: string): Bytes {
  const bytes = new Uint8Array(text.length * 2)
  for (let at = 0; at < text.length; at++) {
    bytes[at * 2] = text.charCodeAt(at) & 0xff
    bytes[at * 2 + 1] = text.charCodeAt(at) >> 8
  }
  return bytes
}

/** One byte per character (ISO 8859-1); a question mark for characters outside it. */
export function latin1(text: string): Bytes {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0)!
    return code < 256 ? code : 0x3f
  })
}
