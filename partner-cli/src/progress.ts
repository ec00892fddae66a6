import type { Output } from './surroundings.ts'

const barWidth = 30
const redrawMs = 100

export type Progress = {
  /** From 0 to 1; null where nobody knows how much is to come. */
  show(done: number | null, text: string): void
  end(): void
}

/** A bar on standard error where that is a terminal; elsewhere it says nothing. */
export function progressBar(
  stream: Output,
  label: string,
  now: () => number = () => performance.now(),
): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} }
  let drawnAt = 0
  let isDrawn = false
  return {
    show(done, text) {
      if (now() - drawnAt < redrawMs) return
      drawnAt = now()
      isDrawn = true
      stream.write(`\r\u001b[K${label} ${done === null ? '' : `${bar(done)} `}${text}`)
    },
    end() {
      if (isDrawn) stream.write('\r\u001b[K')
      isDrawn = false
    },
  }
}

function bar(done: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, done)) * barWidth)
  return '█'.repeat(filled) + '░'.repeat(barWidth - filled)
}
