import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

/** The death of a server in this folder, without a goodbye. */
export async function killAllOf(folder: string): Promise<void> {
  const processes = stoppedProcessesOf(postmasterOf(folder))
  for (const pid of processes) tell(pid, 'SIGKILL')
  await eventually('all of its processes are gone', () => processes.every((pid) => statusOf(pid) === null))
}

/** The process that forks all the others. */
export function postmasterOf(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

/** The postmaster is stopped first, so that it forks none while the others are stopped. */
export function stoppedProcessesOf(first: number): number[] {
  tell(first, 'SIGSTOP')
  const others = childrenOf(first)
  for (const pid of others) tell(pid, 'SIGSTOP')
  return [first, ...others]
}

/** Some of them are short-lived: one that has ended needs no signal. */
export function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export function childrenOf(first: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statusOf(pid)?.parent === first)
}

/** Null: it has ended, or is a zombie. */
export function statusOf(pid: number): { parent: number } | null {
  try {
    // The name of the program is in parentheses and may contain anything.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return state === 'Z' ? null : { parent: Number(parent) }
  } catch {
    return null
  }
}
