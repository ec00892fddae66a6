import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Records in numbered files, so that what does not fit into memory is there again part by part. */
export type Spill<T> = {
  add(part: number, record: T): void
  /** In the order in which they were added. */
  read(part: number): T[]
}

/** Two hundred and fifty-six of these are 8 MiB; no file stays open, so no limit of open files is met. */
const bufferedCharactersMax = 16 * 1024

export function createSpill<T>(folder: string, name: string): Spill<T> {
  const buffers = new Map<number, string>()
  const pathOf = (part: number) => join(folder, `${name}-${part}`)
  const flush = (part: number) => {
    const buffered = buffers.get(part)
    if (buffered === undefined) return
    appendFileSync(pathOf(part), buffered, { mode: 0o600 })
    buffers.delete(part)
  }
  return {
    add(part, record) {
      const buffered = `${buffers.get(part) ?? ''}${JSON.stringify(record)}\n`
      buffers.set(part, buffered)
      if (buffered.length > bufferedCharactersMax) flush(part)
    },
    read(part) {
      flush(part)
      const path = pathOf(part)
      if (!existsSync(path)) return []
      return readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as T)
    },
  }
}

/** The same text always gives the same part; neighbours such as order-1 and order-2 give different ones. */
export function partOf(text: string, parts: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % parts
}
