import type { Operation } from './write-log.ts'

type Change = Extract<Operation, { kind: 'write' | 'truncate' }>

/** How the power cut treats what was not synced. */
export type Cut = {
  /** Asked once for each sector of a write, for each truncation, and for a size without its bytes. */
  survives(): boolean
  /** What is found where a file has grown and its bytes are not there. */
  fill(bytes: Buffer): void
  sectorBytes: number
}

export const nothingLost: Cut = {
  survives: () => true,
  fill: (bytes) => void bytes.fill(0),
  sectorBytes: Number.POSITIVE_INFINITY,
}

/** A file's bytes: those that were synced, and the changes that came later. */
export class DiskFile {
  #durable: Buffer = Buffer.alloc(0)
  #pending: { change: Change; at: number }[] = []

  change(change: Change, at: number): void {
    this.#pending.push({ change, at })
  }

  /** Makes durable what was changed before `at`. */
  sync(before: number): void {
    const later = this.#pending.filter(({ at }) => at >= before)
    this.#pending = this.#pending.filter(({ at }) => at < before)
    this.#durable = this.after(nothingLost)
    this.#pending = later
  }

  durable(): Buffer {
    return this.#durable
  }

  /**
   * The bytes after a power cut. A sector has the bytes of any of the changes to it since the sync, or those of the
   * sync: that is what is left of writes that reached the disk in any order, and not all of them.
   */
  after({ survives, fill, sectorBytes }: Cut): Buffer {
    if (this.#pending.length === 0) return this.#durable
    const ends = this.#pending.map(({ change }) => endOf(change))
    const bytes = Buffer.allocUnsafe(Math.max(this.#durable.length, ...ends))
    this.#durable.copy(bytes)
    let size = this.#durable.length
    let sizeSeen = size // by the program, for which all changes are there
    function growTo(end: number): void {
      if (end > size) fill(bytes.subarray(size, end))
      size = Math.max(size, end)
    }
    for (const { change } of this.#pending) {
      sizeSeen = change.kind === 'truncate' ? change.size : Math.max(sizeSeen, endOf(change))
      if (change.kind === 'truncate') {
        if (!survives()) continue
        growTo(change.size)
        size = change.size
        continue
      }
      for (const [from, to] of sectors(change.offset, endOf(change), sectorBytes)) {
        if (!survives()) continue
        growTo(from)
        change.data.copy(bytes, from, from - change.offset, to - change.offset)
        size = Math.max(size, to)
      }
    }
    if (sizeSeen > size && survives()) growTo(sizeSeen)
    return bytes.subarray(0, size)
  }
}

function endOf(change: Change): number {
  return change.kind === 'write' ? change.offset + change.data.length : change.size
}

/** The parts of a write, cut where a sector of the file ends. */
function* sectors(from: number, end: number, sectorBytes: number): Generator<[from: number, to: number]> {
  for (let at = from; at < end; ) {
    const to = Math.min(end, (Math.floor(at / sectorBytes) + 1) * sectorBytes)
    yield [at, to]
    at = to
  }
}
