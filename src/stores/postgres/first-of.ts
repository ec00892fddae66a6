import { Unavailable } from '../../ledger/errors.ts'
import { asUnavailable } from './database.ts'

/** Then the connection may hang, or the database may be slow: who asks cannot tell. */
const nextAfterMs = 700

/**
 * The first success. Asks the next one when one before it is `Unavailable`, or has not answered for a while; its answer still
 * counts then.
 */
export function firstOf<T>(asks: (() => Promise<T>)[]): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const later = [...asks]
  let asked = 0
  let timer: NodeJS.Timeout | undefined
  function askNext(): void {
    clearTimeout(timer)
    const ask = later.shift()
    if (ask === undefined) return
    asked++
    timer = setTimeout(askNext, nextAfterMs)
    ask().then(end(resolve), (error) => {
      asked--
      const failure = asUnavailable(error)
      if (!(failure instanceof Unavailable)) end(reject)(failure)
      else if (later.length > 0) askNext()
      else if (asked === 0) end(reject)(failure)
    })
  }
  /** Nobody else is asked. */
  function end<Value>(settle: (value: Value) => void): (value: Value) => void {
    return (value) => {
      later.length = 0
      clearTimeout(timer)
      settle(value)
    }
  }
  askNext()
  return promise
}
