import { textOf } from '../../../doctor/bytes.ts'
import type { SignedRequest } from './signed-request.ts'

/** The same request for a shell. It contains the signature, never the secret, so it expires with its timestamp. */
export function curlCommand(origin: string, { target, headers, body }: SignedRequest): string {
  const lines = [
    `curl -i ${quoted(`${origin}${target}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-binary ${quoted(textOf(body)!)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Inside single quotes, a shell interprets only the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
