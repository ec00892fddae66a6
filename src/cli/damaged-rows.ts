import { terminalSafe } from '../terminal/safe-text.ts'

/** After a list: which of its rows are damaged, and what is wrong. The command fails, although it shows the others. */
export function tellDamaged(rows: [name: string, problem: string][]): void {
  if (rows.length === 0) return
  process.exitCode = 1
  for (const [name, problem] of rows)
    console.error(`partner-credit: the ${terminalSafe(name)} is damaged: ${terminalSafe(problem)}`)
}

/** In the JSON document, beside the sound rows. */
export function shownDamaged<Known>({ problem, ...known }: Known & { problem: string }) {
  return { ...known, damaged: problem }
}
