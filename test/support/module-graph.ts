import { dirname, join } from 'node:path'

/** Path → text. */
type Files = ReadonlyMap<string, string>

/** What one statement takes from another file: names, or everything (`import *`, `export *`, `import()`). */
type Import = { from: string; names: string[] | 'all' }

/** The chains of files that import each other, each once, as `a.ts → b.ts → a.ts`. Imports of types count. */
export function importCircles(files: Files): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  function visit(path: string, above: string[]): void {
    if (above.includes(path)) {
      circles.push([...above.slice(above.indexOf(path)), path].join(' → '))
    } else if (!done.has(path)) {
      for (const { from } of importsOf(path, files.get(path)!))
        if (files.has(from)) visit(from, [...above, path])
      done.add(path)
    }
  }
  for (const path of files.keys()) visit(path, [])
  return circles
}

/** The exports of `files` that nobody among `readers` imports, as `path: name`. */
export function unusedExports(files: Files, readers: Files): string[] {
  const used = new Map<string, Set<string>>()
  const usedWhole = new Set<string>()
  for (const [path, text] of readers) {
    for (const { from, names } of importsOf(path, text)) {
      if (names === 'all') usedWhole.add(from)
      else used.set(from, (used.get(from) ?? new Set()).union(new Set(names)))
    }
  }
  return [...files]
    .filter(([path]) => !usedWhole.has(path))
    .flatMap(([path, text]) =>
      exportedNames(text)
        .filter((name) => !used.get(path)?.has(name))
        .map((name) => `${path}: ${name}`),
    )
}

function importsOf(path: string, text: string): Import[] {
  const code = withoutComments(text)
  const resolved = (specifier: string) => join(dirname(path), specifier)
  const statements = /^(?:import|export)\s(?:type\s)?\s*([\w$*{][^'"`;=()]*?)\sfrom\s'(\.[^']+)'/gm
  const whole = /\bimport\('(\.[^']+)'\)|^import '(\.[^']+)'/gm
  return [
    ...[...code.matchAll(statements)].map(([, clause, specifier]) => ({
      from: resolved(specifier!),
      names: namesIn(clause!),
    })),
    ...[...code.matchAll(whole)].map(([, dynamic, bare]) => ({
      from: resolved((dynamic ?? bare)!),
      names: 'all' as const,
    })),
  ]
}

/** Of `a, { b as c, type d }`: default, b and d, the names in the other file. */
function namesIn(clause: string): string[] | 'all' {
  if (clause.includes('*')) return 'all'
  const [, first = '', inBraces = ''] = /^([^{]*)(?:{(.*)})?/s.exec(clause)!
  const names = inBraces.split(',').map((name) =>
    name
      .trim()
      .replace(/^type /, '')
      .replace(/ as .*/, ''),
  )
  return [...(/\w/.test(first) ? ['default'] : []), ...names.filter((name) => name !== '')]
}

function exportedNames(text: string): string[] {
  const code = withoutComments(text)
  const declarations =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm
  const lists = /^export (?:type )?{([^}]*)}(?! from)/gm
  return [
    ...[...code.matchAll(declarations)].map(([, name]) => name!),
    ...[...code.matchAll(lists)].flatMap(([, list]) =>
      list!
        .split(',')
        .map((name) =>
          name
            .trim()
            .replace(/.* as /, '')
            .replace(/^type /, ''),
        )
        .filter((name) => name !== ''),
    ),
    ...(/^export default /m.test(code) ? ['default'] : []),
  ]
}

/** Examples in comments import the SDK as its users do. */
function withoutComments(text: string): string {
  return text.replaceAll(/^ *(\/\*\*|\*|\/\/).*$/gm, '')
}
