import type { Answer } from './attempt.ts'

/** Whether the response is about a sandbox tenant. */
export function isSandbox({ headers }: Answer): boolean {
  return headers.get('ep-sandbox') === 'true'
}
