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
    const placeholder = values.find(isPlaceholder)
    if (values.length > 1) found.push({ id: 'header-repeated', about: name })
    else if ((values[0] ?? '') === '') found.push({ id: 'header-missing', about: name })
    else if (placeholder !== undefined)
      found.push({ id: 'placeholder-sent', about: `${name}: ${placeholder}` })
  }
  const apiKey = request.apiKey[0] ?? ''
  if (apiKey.startsWith('pcs_')) found.push({ id: 'secret-sent', about: 'X-Api-Key' })
  else if (apiKey !== '' && !isPlaceholder(apiKey) && !/^pck_[\w-]+$/.test(apiKey)) {
    found.push({ id: 'api-key-malformed', about: apiKey })
  }
  const timestamp = request.timestamp[0] ?? ''
  const id = timestamp === '' || isPlaceholder(timestamp) ? null : timestampMistake(timestamp)
  if (id !== null) found.push({ id, about: timestamp })
  return found
}

/** A variable that a shell, a template or Postman did not replace, or a value that was never set. */
export function isPlaceholder(value: string): boolean {
  return /\$\{?[A-Za-z_]|\$\(|^`|\{\{.*\}\}|^\{\w+\}$|%[A-Z_]+%|^<.*>$|^(undefined|null|None|nil|NaN)$/.test(
    value,
  )
}

/** Checks the format only: the service's clock decides whether the time is right. */
function timestampMistake(timestamp: string): MistakeId | null {
  if (!/^[1-9]\d*$/.test(timestamp)) return 'timestamp-not-digits'
  if (timestamp.length === 10) return 'timestamp-in-seconds'
  if (timestamp.length >= 16) return 'timestamp-in-other-unit'
  return null
}
