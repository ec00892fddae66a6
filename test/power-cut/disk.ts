import { dirname } from 'node:path'
import { oneOf, type Random } from '../support/seeded-random.ts'
import { type Cut, DiskFile, nothingLost } from './disk-file.ts'
import type { Operation } from './write-log.ts'

/** What a power cut leaves: every file that still has its name, with its bytes. */
export type Image = Map<string, Buffer>

/**
 * A disk that promises no more than POSIX does. A change of a file is *pending* until the file is synced, then
 * *durable*. Names are the same: a new or removed name is pending until its folder is synced, whatever was synced of
 * the file itself. When the power is cut, any part of what is pending may be there, and the rest is not.
 */
export class Disk {
  readonly #durable: Names = new Map()
  /** The names as the program sees them, with all pending changes. */
  readonly #seen: Names = new Map()
  #pending: NameChange[] = []
  readonly #foldersMade = new Set<string>()
  #now = 0
  /** When the sync that each thread is waiting for began. */
  readonly #syncing = new Map<number, number>()

  apply(operation: Operation): void {
    this.#now++
    switch (operation.kind) {
      case 'mkdir':
        this.#foldersMade.add(operation.path)
        this.#name(operation.path, new DiskFile())
        break
      case 'create':
        this.#name(operation.path, new DiskFile())
        break
      case 'unlink':
        this.#name(operation.path, null)
        break
      case 'link':
        this.#name(operation.to, this.#seen.get(operation.path)!)
        break
      case 'write':
      case 'truncate':
        this.#seen.get(operation.path)!.change(operation, this.#now)
        break
      case 'syncing':
        this.#syncing.set(operation.thread, this.#now)
        break
      case 'sync':
        this.#sync(operation.path, this.#syncing.get(operation.thread)!)
        break
      case 'answer':
        break
    }
  }

  /** Only what was synced is left. */
  lost(): Image {
    return this.#image(this.#durable, (file) => file.durable())
  }

  /** Everything is there: what a reader sees before a power cut. */
  kept(): Image {
    return this.#image(this.#seen, (file) => file.after(nothingLost))
  }

  /**
   * Of what is pending, some sectors and some names are there. How many differs from file to file, so that the order
   * between files is not kept either. Where a file has grown without its bytes, there are zeros or garbage.
   */
  torn(random: Random, sectorBytes: number): Image {
    const names = new Map(this.#durable)
    const share = oneOf(random, shares)
    for (const change of this.#pending) if (random() < share) put(names, change)
    return this.#image(names, (file) => file.after(randomCut(random, sectorBytes)))
  }

  #name(path: string, file: DiskFile | null): void {
    const change = { path, file, at: this.#now }
    this.#pending.push(change)
    put(this.#seen, change)
  }

  #sync(path: string, before: number): void {
    this.#seen.get(path)?.sync(before)
    const isCovered = (change: NameChange) => change.at < before && dirname(change.path) === path
    for (const change of this.#pending) if (isCovered(change)) put(this.#durable, change)
    this.#pending = this.#pending.filter((change) => !isCovered(change))
  }

  /** A file whose folder has lost its name is lost with it. */
  #image(names: Names, bytesOf: (file: DiskFile) => Buffer): Image {
    const isThere = (path: string): boolean =>
      dirname(path) === path || ((!this.#foldersMade.has(path) || names.has(path)) && isThere(dirname(path)))
    const files = [...names].filter(([path]) => !this.#foldersMade.has(path) && isThere(path))
    return new Map(files.map(([path, file]) => [path, bytesOf(file)]))
  }
}

type Names = Map<string, DiskFile>
type NameChange = { path: string; file: DiskFile | null; at: number }

const shares = [0, 0.1, 0.5, 0.9, 1]

function put(names: Names, { path, file }: NameChange): void {
  if (file === null) names.delete(path)
  else names.set(path, file)
}

function randomCut(random: Random, sectorBytes: number): Cut {
  const share = oneOf(random, shares)
  const isRubbish = random() < 0.5
  return {
    survives: () => random() < share,
    fill(bytes) {
      bytes.fill(0)
      if (isRubbish) for (let at = 0; at < bytes.length; at++) bytes[at] = random() * 256
    },
    sectorBytes,
  }
}
