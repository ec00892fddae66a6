import { readdirSync, readFileSync } from 'node:fs'

const sampleMs = 50

/** The most that a process held at any time: bytes of memory, open files and sockets. */
export type Held = { memoryMb: number; files: number }

/** Watches a process, as Linux counts. */
export function watchProcess(pid: number): { end(): Held } {
  const most = heldBy(pid)
  const look = () => {
    const held = heldBy(pid)
    most.memoryMb = Math.max(most.memoryMb, held.memoryMb)
    most.files = Math.max(most.files, held.files)
  }
  const timer = setInterval(look, sampleMs)
  return {
    end() {
      clearInterval(timer)
      look()
      return most
    },
  }
}

export function heldBy(pid: number): Held {
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
  return { memoryMb: Math.round((kilobytes * 1024) / 1e6), files: readdirSync(`/proc/${pid}/fd`).length }
}
