import { terminalSafe } from '../terminal/safe-text.ts'

/** After a list: which of its rows are damaged, and what is wrong. The command fails, although it shows the others. */
export function tellDamaged(rows: [name: string, problem: string][]): void {
  tellProblems(rows.map(([name, problem]) => `the ${name} is damaged: ${problem}`))
}

/** The same, if the texts name the rows. Each is said once. */
export function tellProblems(problems: string[]): void {
  for (const problem of new Set(problems)) {
    process.exitCode = 1
    console.error(`partner-credit: ${terminalSafe(problem)}`)
  }
}

/** In the JSON document, beside the sound rows. */
export function shownDamaged<Known>({ problem, ...known }: Known & { problem: string }) {
  return { ...known, damaged: problem }
}
