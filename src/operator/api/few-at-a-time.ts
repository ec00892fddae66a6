/** Runs at most so much of it at a time. The rest waits, and is done in its order. */
export function fewAtATime(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []

  function next(): void {
    const first = waiting.shift()
    // Whoever waited takes the place.
    if (first === undefined) running--
    else first()
  }
  return async (work) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // In another turn of the event loop. An embedded ledger never waits for anything: otherwise all the work would be done
      // in one turn, and none of its results sent before its end.
      setImmediate(next)
    }
  }
}
