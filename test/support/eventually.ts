import { setTimeout as sleep } from 'node:timers/promises'

/** On a busy machine checks and timers are late, but never by as much as this. */
const slowdownMax = 20

/**
 * Waits until the condition holds, and throws if that takes too long. It checks often at first and then less so, because
 * a check may be a request or a process. Only its pauses count towards the limit, not the checks between them: on a busy
 * machine those take long, and what is waited for takes longer, too.
 */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 10_000 } = {},
): Promise<void> {
  const giveUpAt = performance.now() + withinMs * slowdownMax
  let pausedMs = 0
  for (let pauseMs = 2; !(await holds()); pauseMs = Math.min(pauseMs * 1.5, 25)) {
    if (pausedMs >= withinMs || performance.now() > giveUpAt) {
      throw new Error(`not within ${withinMs} ms: ${what}`)
    }
    await sleep(pauseMs)
    pausedMs += pauseMs
  }
}
