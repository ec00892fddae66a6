import { systemClock } from '../clock.ts'

const barWidth = 30
const redrawMs = 100

/** A progress bar on standard error, if that is a terminal. */
export function progressBar(label: string): { show(done: number): void; end(): void } {
  const stream = process.stderr
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  let drawnAt = 0
  return {
    show(done) {
      const now = systemClock.elapsed()
      if (now - drawnAt < redrawMs) return
      drawnAt = now
      const filled = Math.round(done * barWidth)
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
      stream.write(`\r${label} ${bar} ${Math.floor(done * 100)} %`)
    },
    end: () => stream.write('\r\u001b[K'),
  }
}
