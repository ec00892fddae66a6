import type { Slow } from '../answers/ledger-queries.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { progressBar } from './progress.ts'

/** Says on standard error why a search takes long, once, and how far it is. */
export function slowSearch(): Slow & { end(): void } {
  const said = new Set<string>()
  let bar: ReturnType<typeof progressBar> | null = null
  return {
    say(why) {
      if (said.has(why)) return
      said.add(why)
      console.error(terminalSafe(why))
    },
    show(done) {
      bar ??= progressBar('searching')
      bar.show(done)
    },
    end() {
      bar?.end()
      bar = null
    },
  }
}
