import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds, and throws if that takes too long. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 10_000 } = {},
): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs} ms: ${what}`)
    await sleep(5)
  }
}
