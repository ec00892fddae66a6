import { mkdirSync, writeFileSync } from 'node:fs'
import { madeFiles } from './made-files.ts'

// Writes the files that are made from the code. A test checks that they are current.
for (const [path, text] of madeFiles()) {
  const file = new URL(`../../${path}`, import.meta.url)
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, text)
}
