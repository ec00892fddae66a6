import { textOf } from './bytes.ts'
import type { MistakeId } from './mistakes.ts'
import { payloadMistakes } from './payload-mistakes.ts'
import type { SentRequest } from './sent-request.ts'

/** Why the body of an award is not JSON, if that can be seen; null if it is JSON, or broken in another way. */
export function bodyMistake({
  endpoint,
  body,
}: SentRequest): (MistakeId & keyof typeof payloadMistakes) | null {
  const text = endpoint === 'award' ? (textOf(body) ?? '') : ''
  if (/^\s*\{\s*(\\"|'|\w+\s*:)/.test(text)) return 'body-quotes-lost'
  return /^\w+=[^&{]*(&\w+=[^&]*)+$/.test(text) ? 'body-form-encoded' : null
}

/** Reasons why the service refuses an award even if its signature is right. */
export function bodyRemarks(request: SentRequest): string[] {
  if (request.endpoint !== 'award') return []
  const remarks: string[] = []
  const [type = ''] = request.contentType
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const sent =
      type === '' ? 'this one names none (curl then sends that of a form)' : `this one names ${type}`
    remarks.push(
      `The service refuses an award (415) unless it has the header Content-Type: application/json; ${sent}.`,
    )
  }
  const mistake = bodyMistake(request)
  if (mistake !== null) remarks.push(`${payloadMistakes[mistake].title}. ${payloadMistakes[mistake].fix}`)
  return remarks
}
