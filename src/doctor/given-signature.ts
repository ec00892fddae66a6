import { type Bytes, fromBase64, fromHex, textOf } from './bytes.ts'
import type { MistakeId, Variant } from './mistakes.ts'

/** The bytes that a signature may encode, each with the mistakes in its notation. */
export function readSignature(given: string): Variant<Bytes>[] {
  const mistakes: MistakeId[] = []
  let text = given
  const quoted = /^(["'])(.*)\1$/.exec(text)
  if (quoted !== null) {
    text = quoted[2]!
    mistakes.push('signature-with-quotes')
  }
  if (/\s/.test(text) && /^[\w+/=\r\n-]+$/.test(text)) {
    text = text.replaceAll(/[\r\n]/g, '')
    mistakes.push('signature-with-line-break')
  }
  const alone = withoutTextAround(text)
  if (alone !== text) {
    text = alone
    mistakes.push('signature-with-prefix')
  }
  const separated = /^[0-9a-fA-F]{2}([-: ][0-9a-fA-F]{2})+$/.test(text)
  if (separated) {
    text = text.replaceAll(/[-: ]/g, '')
    mistakes.push('signature-with-separators')
  }
  const readings: Variant<Bytes>[] = []
  const hex = fromHex(text)
  if (hex !== null) {
    const inCapitals: MistakeId[] = /[A-F]/.test(text) ? ['signature-in-capitals'] : []
    readings.push({ value: hex, mistakes: [...mistakes, ...inCapitals] })
  }
  const base64 = fromBase64(text)
  if (base64 !== null) {
    const kind = /[-_]/.test(text) || !/=$/.test(text) ? 'signature-in-base64url' : 'signature-in-base64'
    const isHex = hex !== null
    if (!isHex) readings.push({ value: base64, mistakes: [...mistakes, kind] })
  }
  return readings.flatMap((reading) => [reading, ...encodedTwice(reading)])
}

/** Prefixes of other services, and what openssl and sha256sum print. */
function withoutTextAround(text: string): string {
  return text
    .replace(
      /^(?:(?:hmac[-_ ]?)?sha(?:2-)?-?256(?:\(stdin\))?[=: ]+|\(stdin\)= *|hmac |signature[=: ]+|t=\d+,|v\d+[=,]|0x)+(?=.)/i,
      '',
    )
    .replace(/^([0-9a-f]{64}) +\*?(?:-|stdin)$/i, '$1')
}

function encodedTwice({ value, mistakes }: Variant<Bytes>): Variant<Bytes>[] {
  const inner = fromHex(textOf(value) ?? '')
  return inner === null ? [] : [{ value: inner, mistakes: [...mistakes, 'signature-encoded-twice'] }]
}
