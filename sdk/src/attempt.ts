import { ConnectionError, TimeoutError } from './errors.ts'
import type { Bytes } from './sign.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A response with its whole body. */
export type Answer = { status: number; headers: Headers; text: string; requestId: string }

export type Sendable = {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: Bytes | null
}

/** Sends one request, once. Rejects with a ConnectionError, a TimeoutError or the reason of the caller's signal. */
export async function attempt(
  { url, method, headers, body }: Sendable,
  { fetch, timeoutMs, signal }: { fetch: Fetch; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Answer> {
  signal?.throwIfAborted()
  // Our own, so that a request whose connection failed can be found in the service's log, too.
  const requestId = crypto.randomUUID()
  const controller = new AbortController()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort()
  }, timeoutMs)
  const abort = () => controller.abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, 'X-Request-Id': requestId },
      body,
      // A redirect would carry the key to another address, and turn an award into a GET.
      redirect: 'manual',
      signal: controller.signal,
    })
    const text = await textOf(response)
    const { status, headers: answered } = response
    return { status, headers: answered, text, requestId: answered.get('x-request-id') ?? requestId }
  } catch (cause) {
    signal?.throwIfAborted()
    if (timedOut) {
      const message = `no whole answer within ${timeoutMs} ms (request ${requestId})`
      throw new TimeoutError(message, { requestId })
    }
    const message = `the service was not reached, or the connection broke${reasonOf(cause)} (request ${requestId})`
    throw new ConnectionError(message, { requestId, cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** More than any answer of the service. A longer one is given as an empty text, which is no answer of the service either. */
const answerBytesMax = 8_388_608

async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > answerBytesMax) {
      reader.cancel().catch(() => {})
      return ''
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Node hides the system's reason (ECONNREFUSED, …) one level down. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error ? cause.cause : undefined
  const code = typeof inner === 'object' && inner !== null && 'code' in inner ? inner.code : undefined
  return typeof code === 'string' ? `: ${code}` : ''
}
