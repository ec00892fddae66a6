import type { MistakeId } from './mistakes.ts'
import type { SentRequest } from './sent-request.ts'

type HeaderFault = { id: MistakeId; about: string }

/** What is wrong with the three headers before anything is computed. */
export function headerFaults(request: SentRequest): HeaderFault[] {
  const faults: HeaderFault[] = []
  const headers = {
    'X-Api-Key': request.apiKey,
    'X-Timestamp': request.timestamp,
    'X-Signature': request.signature,
  }
  for (const [name, values] of Object.entries(headers)) {
    if (values.length > 1) faults.push({ id: 'header-repeated', about: name })
    else if ((values[0] ?? '') === '') faults.push({ id: 'header-missing', about: name })
  }
  if (request.apiKey[0]?.startsWith('pcs_')) faults.push({ id: 'secret-sent', about: 'X-Api-Key' })
  const timestamp = request.timestamp[0] ?? ''
  const id = timestamp === '' ? null : timestampFault(timestamp)
  if (id !== null) faults.push({ id, about: timestamp })
  return faults
}

/** Only its form: whether the time itself is right, the service's clock says. */
function timestampFault(timestamp: string): MistakeId | null {
  if (!/^[1-9]\d*$/.test(timestamp)) return 'timestamp-not-digits'
  if (timestamp.length === 10) return 'timestamp-in-seconds'
  if (timestamp.length >= 16) return 'timestamp-in-other-unit'
  return null
}
