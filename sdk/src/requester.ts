import { type Answer, attempt, type Sendable } from './attempt.ts'
import { checkTimeout, type Connection } from './connection.ts'
import { PartnerCreditError } from './errors.ts'
import { explainSignature } from './explain-signature.ts'
import { failureOf } from './failure-of.ts'
import { mayBeCreditedAfter } from './may-be-credited.ts'
import { InvalidSignatureError, TimestampOutOfRangeError } from './service-errors.ts'
import { createSigner } from './sign.ts'
import { waitBeforeRetry } from './wait-before-retry.ts'
import type { World } from './world.ts'

export type CallOptions = {
  /** Ends the call, including its retries and waits, with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Timeout of each attempt of this call, instead of the client's. */
  timeoutMs?: number | undefined
}

/** A request before it is signed: the payload is what the signature covers. */
type Call = Omit<Sendable, 'url' | 'headers'> & { path: string; payload: string | Uint8Array }

/** Signs, sends and retries; resolves with a success, rejects with the last failure. */
export type Requester = (call: Call, options: CallOptions | undefined) => Promise<Answer>

/** The caller decides about a longer wait: the error says how long it is. */
const retryAfterMaxMs = 30_000

export function createRequester(connection: Connection, world: World): Requester {
  const { baseUrl, apiKey, signingSecret, retries, fetch } = connection
  const sign = createSigner(signingSecret)
  /** The service's clock minus ours, after a response said that they differ by too much. */
  let clockOffsetMs = 0

  async function attemptSigned({ path, payload, method, body }: Call, { signal, timeoutMs }: CallOptions) {
    const timestamp = String(world.now() + clockOffsetMs)
    const headers: Record<string, string> = {
      'X-Api-Key': apiKey,
      'X-Timestamp': timestamp,
      'X-Signature': await sign({ timestamp, payload }),
    }
    if (body !== null) headers['Content-Type'] = 'application/json'
    const sendable = { url: baseUrl + path, method, headers, body }
    const answer = await attempt(sendable, { fetch, timeoutMs: timeoutMs ?? connection.timeoutMs, signal })
    const failure = failureOf(answer, world.now())
    if (failure instanceof InvalidSignatureError)
      throw await explainSignature(failure, body ?? new Uint8Array())
    if (failure !== null) throw failure
    return answer
  }

  return async (call, { signal, timeoutMs } = {}) => {
    checkTimeout(timeoutMs)
    let retry = 0
    let isClockCorrected = false
    let mayBeCredited = false
    for (let attempts = 1; ; attempts++) {
      try {
        return await attemptSigned(call, { signal, timeoutMs })
      } catch (error) {
        if (!(error instanceof PartnerCreditError)) throw error
        mayBeCredited = call.method === 'POST' && mayBeCreditedAfter(error, mayBeCredited)
        Object.assign(error, { attempts, mayBeCredited })
        if (error instanceof TimestampOutOfRangeError && !isClockCorrected) {
          isClockCorrected = true
          clockOffsetMs = error.serverTime - world.now()
          continue
        }
        const { retryable, retryAfterMs } = error
        if (!retryable || retry === retries || (retryAfterMs ?? 0) > retryAfterMaxMs) throw error
        retry++
        await world.sleep(waitBeforeRetry({ retry, retryAfterMs, random: world.random() }), signal)
      }
    }
  }
}
