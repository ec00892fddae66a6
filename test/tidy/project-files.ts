import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path → text. */
export type Files = Map<string, string>

const notOurs = ['node_modules', '.git', 'data', 'dist', '.env']

/** Every file of the project. Folders that are not ours are not entered: node_modules has thousands of files. */
export function projectFiles(folder = '.'): Files {
  return new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !notOurs.includes(name))
      .flatMap((entry): [string, string][] => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return [...projectFiles(path)]
        return entry.isFile() ? [[path, readFileSync(path, 'utf8')]] : []
      }),
  )
}
