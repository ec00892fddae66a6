import { textOf } from '../../../doctor/bytes.ts'
import { shellQuoted } from '../../../doctor/shell-quoted.ts'
import type { SignedRequest } from './signed-request.ts'

/** The same request for a shell. It contains the signature, never the secret, so it expires with its timestamp. */
export function curlCommand(origin: string, { target, headers, body }: SignedRequest): string {
  const lines = [
    `curl -i ${shellQuoted(`${origin}${target}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-binary ${shellQuoted(textOf(body)!)}`]),
  ]
  return lines.join(' \\\n  ')
}
