import { isUtf8 } from 'node:buffer'
import { awardCurl, historyCurl } from './signed-curl.ts'

/** What is wrong with the call of `sign`; nothing was signed. */
export class NotSignable extends Error {}

/** One of them: an award's body, a file with it (- is standard input), or the tenant of a history request. */
export type ToSign = { data?: string; body?: string; tenant?: string }

type Signing = {
  url: string
  /** The content of the file, or of standard input for -. */
  read(file: string): Uint8Array | Promise<Uint8Array>
  /** The three headers of a request with this payload. */
  headersOf(payload: string | Uint8Array): Record<string, string> | Promise<Record<string, string>>
}

type SignedRequest = { headers: Record<string, string>; curl: string }

/** The headers of a request, and a curl command that sends it. Nothing is sent here. */
export async function signedRequest(
  { data, body, tenant }: ToSign,
  { url, read, headersOf }: Signing,
): Promise<SignedRequest> {
  if ([data, body, tenant].filter((given) => given !== undefined).length !== 1) {
    throw new NotSignable('specify exactly one of --data, --body and --tenant')
  }
  if (tenant !== undefined) {
    const headers = await headersOf(tenant)
    return { headers, curl: historyCurl(url, headers, tenant) }
  }
  const bytes = data ?? (await read(body!))
  if (body === '-' && !isUtf8(bytes as Uint8Array)) {
    throw new NotSignable(
      'the body is not UTF-8, so it cannot be part of a curl command: use --body with a file',
    )
  }
  const headers = await headersOf(bytes)
  const isInFile = body !== undefined && body !== '-'
  return { headers, curl: awardCurl(url, headers, isInFile ? `@${body}` : Buffer.from(bytes).toString()) }
}

export function signedRequestText({ headers, curl }: SignedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [...lines, '', curl].join('\n')
}
