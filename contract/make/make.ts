import { mkdirSync, writeFileSync } from 'node:fs'
import { madeFiles } from './made-files.ts'

/** Writes what is made from the code: run it after a change; a test compares. */
for (const [path, text] of madeFiles()) {
  const file = new URL(`../${path}`, import.meta.url)
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, text)
}
