import { setTimeout as sleep } from 'node:timers/promises'

/** Asks again and again until the answer is yes; a no that lasts is an error. For what happens in its own time. */
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
