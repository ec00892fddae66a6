import type { IssuedKey } from '../partners/create-key.ts'
import { bold } from './output.ts'

/** A new key for people, in lines that can be pasted into a shell. */
export function credentialsText({ partnerId, keyId, apiKey, signingSecret }: IssuedKey): string {
  return [
    `${partnerId} has the key ${keyId}. ${bold('The secret is shown once: keep it now.')}`,
    '',
    `export API_KEY=${apiKey}`,
    `export SIGNING_SECRET=${signingSecret}`,
  ].join('\n')
}
