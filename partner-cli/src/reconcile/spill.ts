import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Records in numbered files, so that what does not fit into memory is there again part by part. */
type Spill<T> = {
  add(part: number, record: T): void
  /** In the order in which they were added. */
  read(part: number): T[]
}

/** 256 of these are 4 MiB; no file stays open, so no limit of open files is met. */
const bufferBytes = 16 * 1024

/**
 * What waits to be written is kept as bytes, outside the heap: as strings it would live long enough to be taken for
 * permanent, and the heap would grow by it.
 */
export function createSpill<T>(folder: string, name: string): Spill<T> {
  const buffers = new Map<number, { bytes: Buffer; used: number }>()
  const pathOf = (part: number) => join(folder, `${name}-${part}`)
  const append = (part: number, bytes: Uint8Array) => appendFileSync(pathOf(part), bytes, { mode: 0o600 })
  const bufferOf = (part: number) => {
    const buffer = buffers.get(part) ?? { bytes: Buffer.allocUnsafeSlow(bufferBytes), used: 0 }
    buffers.set(part, buffer)
    return buffer
  }
  return {
    add(part, record) {
      const line = `${JSON.stringify(record)}\n`
      const length = Buffer.byteLength(line)
      const buffer = bufferOf(part)
      if (buffer.used + length > bufferBytes) {
        append(part, buffer.bytes.subarray(0, buffer.used))
        buffer.used = 0
      }
      if (length > bufferBytes) append(part, Buffer.from(line))
      else buffer.used += buffer.bytes.write(line, buffer.used)
    },
    read(part) {
      const buffer = buffers.get(part)
      if (buffer !== undefined) append(part, buffer.bytes.subarray(0, buffer.used))
      buffers.delete(part)
      const path = pathOf(part)
      if (!existsSync(path)) return []
      return readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as T)
    },
  }
}

/** The same text always gives the same part; neighbors such as order-1 and order-2 give different ones. */
export function partOf(text: string, parts: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % parts
}
