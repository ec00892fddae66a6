import { type Bytes, fromBase64, fromHex, toBase64, toHex, utf8, utf16 } from './bytes.ts'
import { sha256 } from './digests.ts'
import type { MistakeId, Variant } from './mistakes.ts'

const placeholders = [
  'undefined',
  'null',
  'None',
  'nil',
  'SIGNING_SECRET',
  '$SIGNING_SECRET',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a program that does not substitute it signs with this text
  '${SIGNING_SECRET}',
  '<SIGNING_SECRET>',
  '{{SIGNING_SECRET}}',
  'PARTNER_CREDIT_SIGNING_SECRET',
  '$PARTNER_CREDIT_SIGNING_SECRET',
  'pcs_example',
]

/** What may have been used as the HMAC key: the secret first, then common wrong values. */
export async function secretsUsed(secret: string, apiKey: string): Promise<Variant<Bytes>[]> {
  const bare = secret.replace(/^pcs_/, '')
  const texts: [MistakeId, string][] = [
    ['api-key-as-secret', apiKey],
    ['secret-without-prefix', bare],
    ['secret-with-newline', `${secret}\n`],
    ['secret-with-newline', `${secret}\r\n`],
    ['secret-with-spaces', `${secret} `],
    ['secret-with-spaces', ` ${secret}`],
    ['secret-with-quotes', `"${secret}"`],
    ['secret-with-quotes', `'${secret}'`],
    ['secret-with-name', `SIGNING_SECRET=${secret}`],
    ['secret-with-name', `PARTNER_CREDIT_SIGNING_SECRET=${secret}`],
    ['secret-in-other-case', secret.toLowerCase()],
    ['secret-in-other-case', secret.toUpperCase()],
    ['secret-encoded', toBase64(utf8(secret))],
    ['secret-encoded', toHex(utf8(secret))],
    ['secret-encoded', toHex(await sha256(utf8(secret)))],
    ['secret-empty', ''],
    ...placeholders.map((placeholder): [MistakeId, string] => ['secret-placeholder', placeholder]),
  ]
  const decoded: [MistakeId, Bytes | null][] = [
    ['secret-base64-decoded', fromBase64(bare)],
    ['secret-base64-decoded', fromBase64(secret)],
    ['secret-hex-decoded', fromHex(bare)],
    ['secret-hex-decoded', fromHex(secret)],
    ['secret-encoded', await sha256(utf8(secret))],
    ['secret-encoded', utf16(secret)],
  ]
  return [
    { value: utf8(secret), mistakes: [] },
    ...texts
      .filter(([, text]) => text !== secret)
      .map(([mistake, text]) => ({ value: utf8(text), mistakes: [mistake] })),
    ...decoded.flatMap(([mistake, value]) => (value === null ? [] : [{ value, mistakes: [mistake] }])),
  ]
}
