import type { IssuedKey } from '../partners/create-key.ts'
import { bold } from './output.ts'

/** A new key as text, with lines to paste into a shell. */
export function credentialsText({ partnerId, keyId, apiKey, signingSecret }: IssuedKey): string {
  return [
    `Created key ${keyId} for ${partnerId}. ${bold('The secret is shown only once: store it now.')}`,
    '',
    `export API_KEY=${apiKey}`,
    `export SIGNING_SECRET=${signingSecret}`,
  ].join('\n')
}
