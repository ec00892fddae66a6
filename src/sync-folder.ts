import { closeSync, fsyncSync, openSync } from 'node:fs'

/** So that the names in it survive a power cut: a file's own sync covers only what is in the file. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
