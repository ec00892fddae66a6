import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server in its own process that prints `{"url": …}` as soon as it listens. */
export type Child = { pid: number; url: string; end(): Promise<void> }

const living = new Set<number>()

/** Ctrl-C leaves no server behind. */
export function endAllChildren(): void {
  for (const pid of living) process.kill(pid, 'SIGKILL')
}

/** It is ended with the others, unless it has ended by itself. */
export function alive(child: Child): Child {
  living.add(child.pid)
  return {
    ...child,
    async end() {
      await child.end()
      living.delete(child.pid)
    },
  }
}

/** One of the yardsticks, with its plan as its only argument. */
export async function startYardstick(name: string, plan: unknown): Promise<Child> {
  const file = new URL(`./yardsticks/${name}.ts`, import.meta.url).pathname
  const child = spawn(process.execPath, [file, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const early = ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`)))
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), early])) as [string]
  early.catch(() => {})
  return alive({
    pid: child.pid!,
    url: JSON.parse(line).url,
    async end() {
      child.kill('SIGKILL') // it keeps nothing
      await ended
    },
  })
}
