import { dirname, join } from 'node:path'

/** Path → text. */
type Files = ReadonlyMap<string, string>

export const tour = 'docs/internals/request-path.md'

/** Names that the docs say are in a file (`` `a` and `b` in [file](link.ts) ``), but are not. */
export function wrongNames(files: Files): string[] {
  return [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, text]) =>
      namesIn(text).flatMap(({ names, link }) => {
        const target = join(dirname(path), link)
        const code = files.get(target)
        return names
          .filter((name) => code === undefined || !declares(code, name))
          .map((name) => `${path}: ${target} has no ${name}`)
      }),
    )
}

/** Steps of the tour that do not say in which file and function they are. */
export function stepsWithoutCode(files: Files): string[] {
  return (files.get(tour)!.match(/^\d+\. .*(?:\n {2,}.*)*/gm) ?? []).filter(
    (step) => namesIn(step).length === 0,
  )
}

/** The tour's table of database statements against the files that have some. */
export function misplacedStatements(files: Files): string[] {
  const listed = new Set(
    files
      .get(tour)!
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .flatMap((line) => line.split('|').slice(2, 5).flatMap(filesOfCell)),
  )
  const actual = [...files]
    .filter(([path, text]) => isStore.test(path) && hasStatement(text))
    .map(([path]) => path)
  return [
    ...actual.filter((path) => !listed.has(path)).map((path) => `${path} is not in the table`),
    ...[...listed].filter((path) => !actual.includes(path)).map((path) => `${path} has no statement`),
  ]
}

const columns = ['src/stores/sqlite', 'src/stores/postgres', 'src/stores']
const isStore = /^src\/stores\/(?!.*\.test\.ts$).*\.ts$/

function filesOfCell(cell: string, column: number): string[] {
  return [...cell.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => join(columns[column]!, file!))
}

function hasStatement(text: string): boolean {
  const code = text.replaceAll(/^ *(?:\/\*\*|\*).*$|\/\/.*$/gm, '')
  return /['"`\s(](SELECT|INSERT (?:OR REPLACE )?INTO|UPDATE \w|DELETE FROM|PRAGMA|BEGIN|'COMMIT|ROLLBACK|CREATE|SET LOCAL|LISTEN|DECLARE) ?/.test(
    code,
  )
}

function namesIn(text: string): { names: string[]; link: string }[] {
  const reference = /((?:`[\w.]+`(?:,| and)\s+)*`[\w.]+`)\s+in\s+\[[^\]]+\]\(([^)#]+\.ts)\)/g
  return [...text.matchAll(reference)].map(([, names, link]) => ({
    names: [...names!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!),
    link: link!,
  }))
}

function declares(code: string, name: string): boolean {
  return new RegExp(`\\b(?:function|const|class|type) ${name}\\b`).test(code)
}

/**
 * Diagrams use a small part of Mermaid's language, which is checked here line by line, so that no parser is needed.
 * Arrows of a flowchart are imports between folders of src.
 */
export function wrongDiagrams(files: Files): string[] {
  return [...files]
    .filter(([path]) => path.endsWith('.md'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^```mermaid\n(.*?)^```$/gms)].flatMap(([, diagram]) => {
        const [kind, ...lines] = diagram!.trimEnd().split('\n')
        const check = kind === 'flowchart TD' ? flowchart : kind === 'sequenceDiagram' ? sequence : null
        return (check?.(lines, files) ?? [`unknown diagram ${kind}`]).map(
          (complaint) => `${path}: ${complaint}`,
        )
      }),
    )
}

function flowchart(lines: string[], files: Files): string[] {
  const nodes = new Set(lines.flatMap((line) => /^ {2}(\w+)\["[^"]+"\]$/.exec(line)?.[1] ?? []))
  return lines.filter((line) => {
    const [, from, to] = /^ {2}(\w+) --> (\w+)$/.exec(line) ?? []
    if (from === undefined || to === undefined) return !/^ {2}\w+\["[^"]+"\]$/.test(line)
    return !nodes.has(from) || !nodes.has(to) || !imports(files, from, to)
  })
}

function imports(files: Files, from: string, to: string): boolean {
  const isIn = (folder: string, path: string) =>
    path.startsWith(`src/${folder}/`) || path === `src/${folder}.ts`
  return [...files].some(
    ([path, text]) =>
      isIn(from, path) &&
      !path.endsWith('.test.ts') &&
      [...text.matchAll(/from '(\.[^']+)'/g)].some(([, specifier]) =>
        isIn(to, join(dirname(path), specifier!)),
      ),
  )
}

function sequence(lines: string[]): string[] {
  const participants = new Set(
    lines.flatMap((line) => /^ {2}participant (\w+) as [^;#]+$/.exec(line)?.[1] ?? []),
  )
  return lines.filter((line) => {
    const [, a, b] =
      /^ {2}(\w+)--?>>(\w+): [^;#]+$/.exec(line) ?? /^ {2}Note over ((\w+)): [^;#]+$/.exec(line) ?? []
    if (a === undefined) return !/^ {2}participant /.test(line)
    return !participants.has(a) || !participants.has(b!)
  })
}
