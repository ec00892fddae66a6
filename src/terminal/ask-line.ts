import { createInterface } from 'node:readline/promises'

/** Asks on the terminal. The question goes to standard error, so that it is not part of a result. Null: Ctrl-C or Ctrl-D. */
export async function askLine(question: string): Promise<string | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const given = terminal.question(question)
    const canceled = new Promise<null>((resolve) => {
      terminal.once('SIGINT', () => resolve(null))
      terminal.once('close', () => resolve(null))
    })
    const line = await Promise.race([given, canceled])
    if (line === null) process.stderr.write('\n')
    return line
  } finally {
    terminal.close()
  }
}
