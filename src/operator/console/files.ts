import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { madeOnce } from '../../wire/pages/made-once.ts'
import { withoutTypes } from '../../wire/pages/without-types.ts'

/** A file of the console as it is served. */
export type ConsoleFile = { type: string; bytes: Buffer; gzipped: Buffer; etag: string }

const source = new URL('../../', import.meta.url)
const siteFolder = 'operator/console/site'
/** Modules of ours outside the site's folder that run in the browser, too. */
const borrowed = [
  'clock.ts',
  'journal/result-code.ts',
  'operator/access/permissions.ts',
  'rules/points.ts',
  'rules/vietnam-day.ts',
  'wire/problems/catalog.ts',
  'wire/problems/member-schema.ts',
]
/** What our modules import by name. */
const packages = ['preact', 'preact/hooks', 'htm']

const urlStart = '/console/'
const packagePath = (name: string) => `${urlStart}packages/${name}.js`

/** The path of a file of the site. */
export const sitePath = (name: string) => `${urlStart}${siteFolder}/${name}`

/** The modules, which keep their paths under src, so that their relative imports work unchanged. */
function modules(): string[] {
  const within = readdirSync(new URL(`${siteFolder}/`, source), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${siteFolder}/${name}`)
  return [...borrowed, ...within.sort()]
}

/** The paths of all modules, so that the browser can load them at the same time. */
export function modulePaths(): string[] {
  return [...packages.map(packagePath), ...modules().map((path) => `${urlStart}${path}`)]
}

const style = 'console.css'

/** One stylesheet of several files, in the order in which later rules win. */
const styles = [
  'tokens',
  'base',
  'frame',
  'controls',
  'status',
  'panels',
  'tables',
  'charts',
  'explain',
  'states',
  'pages',
  'narrow',
]

export function consolePaths(): string[] {
  return [...modulePaths(), sitePath(style)]
}

/** The files by their paths; made on the first request. */
export const consoleFiles = madeOnce(async (): Promise<ReadonlyMap<string, ConsoleFile>> => {
  const paths = modules()
  const scripts = await withoutTypes(paths.map((path) => new URL(path, source)))
  const texts: [path: string, type: string, text: string][] = [
    ...paths.map((path, index): [string, string, string] => [
      `${urlStart}${path}`,
      'text/javascript',
      withServedImports(withoutSpace(withoutComments(scripts[index]!))),
    ]),
    ...packages.map((name): [string, string, string] => [
      packagePath(name),
      'text/javascript',
      withServedImports(read(import.meta.resolve(name))),
    ]),
    [sitePath(style), 'text/css', withoutSpace(styles.map(readStyle).join(''))],
  ]
  return new Map(
    await Promise.all(texts.map(async ([path, type, text]) => [path, await served(type, text)] as const)),
  )
})

function read(href: string): string {
  return readFileSync(new URL(href), 'utf8')
}

function readStyle(name: string): string {
  return read(new URL(`${siteFolder}/style/${name}.css`, source).href)
}

/** Comments are a tenth of the bytes, compressed. Only whole lines go: nothing else may be inside of a template. */
function withoutComments(script: string): string {
  return script.replace(/^[ \t]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)[ \t]*\n/gm, '')
}

/**
 * Indents, empty lines, and the spaces in the places of types: another twentieth. In a template it is white space of the
 * page, where more of it shows no more.
 */
function withoutSpace(text: string): string {
  return text
    .replace(/^[ \t]+/gm, '')
    .replace(/ {2,}/g, ' ')
    .replace(/\n{2,}/g, '\n')
}

/** A browser finds no packages by name. The source maps of the packages are not served. */
function withServedImports(script: string): string {
  return script
    .replace(
      /(\b(?:from|import)\s*)(['"])([a-z/]+)\2/g,
      (whole, before: string, quote: string, name: string) =>
        packages.includes(name) ? `${before}${quote}${packagePath(name)}${quote}` : whole,
    )
    .replace(/\n?\/\/# sourceMappingURL=.*/, '')
}

const gzipBytes = promisify(gzip)

async function served(type: string, text: string): Promise<ConsoleFile> {
  const bytes = Buffer.from(text)
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { type, bytes, gzipped: await gzipBytes(bytes, { level: 9 }), etag }
}
