import { statSync } from 'node:fs'

/** A log or a journal without content says nothing, as if there were none. */
export function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0
}
