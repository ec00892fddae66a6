import { readFile } from 'node:fs/promises'

/** The files that a program needs, by their paths below the root: its entry and all that it imports, except types. */
export async function importedFrom(entry: string, root: URL): Promise<string[]> {
  const found = new Set([entry])
  for (const path of found) {
    const file = new URL(path, root)
    for (const specifier of importsOf(await readFile(file, 'utf8'))) {
      const { pathname } = new URL(specifier, file)
      found.add(pathname.slice(root.pathname.length))
    }
  }
  return [...found]
}

/** Every import of a value stands at the start of a line; examples in comments do not. */
function importsOf(code: string): string[] {
  const statements = /^(?:import|export)(?! type\b)(?: [^']*?from)? '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
  return [...code.matchAll(statements)].map(([, always, onDemand]) => (always ?? onDemand)!)
}
