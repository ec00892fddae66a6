/**
 * Shows what goes on. On a terminal it rewrites one line, so that what was printed before it stays visible; elsewhere it
 * prints a line for each event. After `end` it shows nothing more.
 */
export function statusLine(stream: NodeJS.WriteStream): {
  show(event: string, status: string): void
  end(): void
} {
  let ended = false
  return {
    show(event, status) {
      if (ended) return
      // A line that wraps could not be rewritten.
      if (stream.isTTY) stream.write(`${eraseLine}  ${status.slice(0, (stream.columns || 80) - 3)}`)
      else stream.write(`  ${event}\n`)
    },
    end() {
      ended = true
      if (stream.isTTY) stream.write(eraseLine)
    },
  }
}

const eraseLine = '\r\u001b[K'
