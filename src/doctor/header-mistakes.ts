import type { MistakeId } from './mistakes.ts'
import type { SentRequest } from './sent-request.ts'

type HeaderMistake = { id: MistakeId; about: string }

/** Mistakes in the three headers that need no computation. */
export function headerMistakes(request: SentRequest): HeaderMistake[] {
  const found: HeaderMistake[] = []
  const headers = {
    'X-Api-Key': request.apiKey,
    'X-Timestamp': request.timestamp,
    'X-Signature': request.signature,
  }
  for (const [name, values] of Object.entries(headers)) {
    if (values.length > 1) found.push({ id: 'header-repeated', about: name })
    else if ((values[0] ?? '') === '') found.push({ id: 'header-missing', about: name })
  }
  if (request.apiKey[0]?.startsWith('pcs_')) found.push({ id: 'secret-sent', about: 'X-Api-Key' })
  const timestamp = request.timestamp[0] ?? ''
  const id = timestamp === '' ? null : timestampMistake(timestamp)
  if (id !== null) found.push({ id, about: timestamp })
  return found
}

/** Checks the format only: the service's clock decides whether the time is right. */
function timestampMistake(timestamp: string): MistakeId | null {
  if (!/^[1-9]\d*$/.test(timestamp)) return 'timestamp-not-digits'
  if (timestamp.length === 10) return 'timestamp-in-seconds'
  if (timestamp.length >= 16) return 'timestamp-in-other-unit'
  return null
}
