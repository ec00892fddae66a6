import type { Answer } from './attempt.ts'

/** Whether the answer is about a sandbox tenant. */
export function isSandbox({ headers }: Answer): boolean {
  return headers.get('ep-sandbox') === 'true'
}
