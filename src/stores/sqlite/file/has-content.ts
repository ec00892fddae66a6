import { statSync } from 'node:fs'

/** A log or a journal without content says nothing, as if there were none. */
export function hasContent(path: string): boolean {
  return sizeOf(path) > 0
}

const logHeaderBytes = 32

/** Whether anything was written to a log behind its header. */
export function hasFrames(log: string): boolean {
  return sizeOf(log) > logHeaderBytes
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
