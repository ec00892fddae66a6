import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FreshDatabase } from '../support/fresh-database.ts'

/** A disk for a ledger file that can be shrunk to what is on it, and enlarged again. */
export type SmallDisk = {
  folder: string
  database: FreshDatabase
  fill(spareBytes: number): void
  makeRoom(): void
}

const triesMax = 100

/** A file system in memory: its errors come from the kernel. Null if mounting is not allowed. */
export function mountSmallDisk({ roomyBytes = 2 ** 31 } = {}): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-disk-'))
  if (!mount(folder, 'tmpfs', ['-t', 'tmpfs', '-o', `size=${roomyBytes}`])) {
    rmSync(folder, { recursive: true })
    return null
  }
  const resize = (bytes: number) => mount(folder, 'tmpfs', ['-o', `remount,size=${bytes}`])

  return {
    folder,
    database: {
      url: `sqlite:${join(folder, 'ledger.db')}`,
      async remove() {
        execFileSync('umount', [folder])
        rmSync(folder, { recursive: true })
      },
    },
    fill(spareBytes) {
      for (let tries = 0; tries < triesMax; tries++) {
        // It cannot be smaller than what is on it, and that may have grown since we looked.
        if (resize(bytesOn(folder) + spareBytes)) return
      }
      throw new Error('the disk could not be filled')
    },
    makeRoom() {
      if (!resize(roomyBytes)) throw new Error('the disk could not be enlarged')
    },
  }
}

function mount(folder: string, what: string, options: string[]): boolean {
  try {
    execFileSync('mount', [...options, what, folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function bytesOn(folder: string): number {
  const { blocks, bfree, bsize } = statfsSync(folder)
  return (blocks - bfree) * bsize
}
