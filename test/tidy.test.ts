import assert from 'node:assert/strict'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { test } from 'node:test'
import { brokenLinks } from './tidy/links.ts'
import { type Files, projectFiles } from './tidy/project-files.ts'
import { unmatchedStoreFiles } from './tidy/store-files.ts'
import { misplacedStatements, stepsWithoutCode, tour, wrongDiagrams, wrongNames } from './tidy/tour.ts'
import { mayImport } from './support/may-import.ts'
import { importCircles, unusedExports } from './support/module-graph.ts'

/**
 * The properties of the code itself. A guard is a function from the files to its complaints; each is run on the real
 * tree, where it must have none, and on a planted file, where it must have one.
 */
type Guard = { name: string; complaints: (files: Files) => string[]; planted: [path: string, text: string] }

const guards: Guard[] = [
  {
    name: 'imports go in the directions of the architecture',
    complaints: (files) =>
      sources(files).flatMap(([path, text]) =>
        importsOf(text)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => join(dirname(path), specifier))
          .filter((target) => !isAllowed(path, target))
          .map((target) => `${path} imports ${target}`),
      ),
    planted: ['src/rules/planted.ts', "import { x } from '../ledger/errors.ts'"],
  },
  {
    name: 'no files import each other in a circle',
    complaints: (files) => importCircles(new Map(code(files).filter(([path]) => inGraph.test(path)))),
    planted: ['src/rules/decide.ts', "import { decideBatch } from './decide-batch.ts'"],
  },
  {
    name: 'every export is imported somewhere',
    complaints: (files) =>
      unusedExports(
        new Map(code(files).filter(([path]) => inGraph.test(path) && !loadedByName.includes(path))),
        new Map(code(files)),
      ),
    planted: ['src/rules/planted.ts', 'export const planted = 1'],
  },
  {
    name: 'the SDK stands alone: it imports its own files and depends on nothing',
    complaints: (files) => {
      const { dependencies, peerDependencies } = JSON.parse(files.get('sdk/package.json')!)
      return [
        ...Object.keys({ ...dependencies, ...peerDependencies }).map((name) => `sdk depends on ${name}`),
        ...code(files)
          .filter(([path]) => path.startsWith('sdk/src/'))
          .flatMap(([path, text]) =>
            // Examples in comments import the package as its users do.
            importsOf(text.replace(/^ *\*.*$/gm, ''))
              .filter((specifier) => !isWithin('sdk/src/', path, specifier))
              .map((specifier) => `${path} imports ${specifier}`),
          ),
      ]
    },
    planted: ['sdk/src/planted.ts', "import { sign } from '../../src/access/signature.ts'"],
  },
  {
    name: "the partner's command line imports the SDK as partners do, and only packages that it depends on",
    complaints: (files) => {
      const { dependencies } = JSON.parse(files.get('partner-cli/package.json')!)
      const isAllowedImport = (path: string, specifier: string) =>
        specifier.startsWith('node:') ||
        Object.hasOwn(dependencies, specifier.split('/')[0]!) ||
        isWithin('partner-cli/src/', path, specifier) ||
        join(dirname(path), specifier) === 'sdk/src/index.ts' ||
        isWithin('src/terminal/', path, specifier) ||
        isWithin('src/doctor/', path, specifier)
      return code(files)
        .filter(([path]) => path.startsWith('partner-cli/src/'))
        .flatMap(([path, text]) =>
          importsOf(text)
            .filter((specifier) => !isAllowedImport(path, specifier))
            .map((specifier) => `${path} imports ${specifier}`),
        )
    },
    planted: ['partner-cli/src/planted.ts', "import { sign } from '../../sdk/src/sign.ts'"],
  },
  {
    name: 'rules are pure: of all packages they import only hashing',
    complaints: (files) =>
      sources(files)
        .filter(([path]) => path.startsWith('src/rules/'))
        .flatMap(([path, text]) =>
          [...text.matchAll(/^import (.*) from '([^.'][^']*)'/gm)]
            .filter(
              ([, names, specifier]) =>
                specifier !== 'node:crypto' ||
                !/^{ (?:(?:createHash|hash|type Hash)(?:, )?)+ }$/.test(names!),
            )
            .map(([line]) => `${path}: ${line}`),
        ),
    planted: ['src/rules/planted.ts', "import { readFileSync } from 'node:fs'"],
  },
  {
    name: 'the doctor runs in browsers, too: it imports no package and names nothing that only Node has',
    complaints: (files) =>
      grep(
        sources(files).filter(([path]) => path.startsWith('src/doctor/')),
        /from '[^.]|\b(Buffer|process)\.\w/,
      ),
    planted: ['src/doctor/planted.ts', "import { createHmac } from 'node:crypto'"],
  },
  {
    name: 'nothing is ever read as HTML in a browser',
    complaints: (files) =>
      grep(sources(files), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.srcdoc|DOMParser/),
    planted: ['src/http/docs/site/planted.ts', 'place.innerHTML = text'],
  },
  {
    name: 'only clock.ts reads the time',
    complaints: (files) =>
      grep(sources(files), /Date\.now\(|new Date\(\)|performance\.now\(/, ['src/clock.ts']),
    planted: ['src/ledger/planted.ts', 'const now = Date.now()'],
  },
  {
    name: 'only config.ts reads the environment',
    complaints: (files) => grep(sources(files), /process\.env/, ['src/config.ts']),
    planted: ['src/http/planted.ts', 'const port = process.env.PORT'],
  },
  {
    name: 'a shortcut begins with three facts: the simple code, what it buys by which command, and its test',
    complaints: (files) =>
      sources(files)
        .filter(([path]) => path.startsWith('src/shortcuts/'))
        .filter(([path, text]) => {
          const [, test] = threeFacts.exec(text) ?? []
          const isMeasured = files.get('bench/shortcuts.ts')!.includes(`../${path}'`)
          return !isMeasured || !(files.get(test ?? '')?.includes(`./${basename(path)}'`) ?? false)
        })
        .map(([path]) => path),
    planted: ['src/shortcuts/planted.ts', 'export const fast = true'],
  },
  {
    name: 'no module has variables of its own: state belongs to an object, which has an owner',
    complaints: (files) =>
      grep(sources(files), /^(export )?let /, [
        // The program of a thread is its own owner.
        'src/stores/sqlite/threads/checkpointer.ts',
        'src/stores/sqlite/threads/reader.ts',
        'src/stores/sqlite/threads/writer.ts',
        'src/stores/sqlite/follower/follower.ts',
        // Computed once, from files that do not change while the process runs.
        'src/stores/sqlite/layout.ts',
      ]),
    planted: ['src/rules/planted.ts', 'let known = 0'],
  },
  {
    name: 'SQLite is behind one file',
    complaints: (files) => grep(sources(files), /from 'node:sqlite'/, ['src/stores/sqlite/database.ts']),
    planted: ['src/stores/sqlite/planted.ts', "import { DatabaseSync } from 'node:sqlite'"],
  },
  {
    name: 'SQL is in the stores',
    complaints: (files) =>
      grep(
        sources(files).filter(([path]) => !path.startsWith('src/stores/')),
        /\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/,
      ),
    planted: ['src/partners/planted.ts', "const sql = 'SELECT * FROM partners'"],
  },
  {
    name: 'both stores have the same file for the same job, or a reason why one has it alone',
    complaints: (files) => unmatchedStoreFiles([...files.keys()]),
    planted: ['src/stores/sqlite/planted.ts', ''],
  },
  {
    name: 'files are short, and named after what they give',
    complaints: (files) => [
      ...code(files)
        .filter(([path, text]) => text.split('\n').length > 350 && path !== 'sdk/index.d.ts') // made from shorter ones
        .map(([path]) => `${path} is long`),
      ...[...files.keys()].filter((path) =>
        /(^|\/)(utils?|helpers?|common|misc|types|shared)(\.ts|\/)/.test(path),
      ),
    ],
    planted: ['src/http/utils.ts', ''],
  },
  {
    name: 'nothing is left open, skipped or focused',
    complaints: (files) =>
      grep(
        code(files),
        /\b(TODO|FIXME|XXX|HACK)\b|\b(test|it|describe)\.(skip|only|todo)\b|\b(skip|todo): /,
        ['test/tidy.test.ts'],
      ),
    planted: ['src/http/planted.test.ts', "test.skip('x', () => {})"],
  },
  {
    name: 'hooks are inside of a describe: many files run in one process, and one outside would be a hook of all of them',
    complaints: (files) => grep(code(files), /^(before|beforeEach|afterEach)\(/),
    planted: ['src/http/planted.test.ts', 'before(() => {})'],
  },
  {
    name: 'docs, comments and names avoid words that plain English does not need',
    complaints: (files) =>
      grep(
        [...files].filter(([path]) => /\.(ts|js|md)$/.test(path)),
        /\b(anew|mend(s|ed|ing)?|reckon\w*|shall|doors?|manners|hasty|othersToo|disowned)\b|worked off|belongs? into/i,
        ['test/tidy.test.ts'],
      ),
    planted: ['docs/planted.md', 'The answer shall be mended anew.'],
  },
  {
    name: 'no file names a package registry or a path of one machine',
    complaints: (files) =>
      grep([...files], /registry\.npmjs|deb\.debian\.org|"resolved": "http|(^|[^\w.])\/(work|home|root)\//, [
        'test/tidy.test.ts',
      ]),
    planted: ['package-lock.json', '"resolved": "https://example.com/x.tgz"'],
  },
  {
    name: 'no file is large: a database that a command left behind is not committed',
    complaints: (files) => [...files].filter(([, text]) => text.length > 500_000).map(([path]) => path),
    planted: ['planted/ledger.db', 'SQLite format 3\0'.padEnd(500_001)],
  },
  {
    name: 'versions are exact',
    complaints: (files) =>
      grep(
        [...files].filter(([path]) => /(^|\/)package\.json$/.test(path)),
        /": "[\^~><*]|": "latest"/,
      ).filter((line) => !line.includes('"node"')),
    planted: ['package.json', '"fastify": "^5.0.0"'],
  },
  {
    name: 'every link in the docs leads to a file, and to a heading, that exists',
    complaints: brokenLinks,
    planted: ['docs/planted.md', '# Planted\n\n[x](planted.md#planted) [y](planted.md#nowhere)'],
  },
  {
    name: 'every function that the docs name in a file is declared there',
    complaints: wrongNames,
    planted: ['docs/planted.md', '`decideAll` in [decide](../src/rules/decide.ts)'],
  },
  {
    name: 'every step of the tour names its file and function',
    complaints: stepsWithoutCode,
    planted: [tour, '1. **Wait.** The award waits for a commit.'],
  },
  {
    name: 'the tour lists every file that has a database statement',
    complaints: misplacedStatements,
    planted: ['src/stores/sqlite/planted.ts', "const sql = 'SELECT * FROM partners'"],
  },
  {
    name: 'diagrams are valid Mermaid, and their arrows are imports',
    complaints: wrongDiagrams,
    planted: [
      'docs/planted.md',
      '```mermaid\nflowchart TD\n  rules["rules"]\n  http["http"]\n  rules --> http\n```\n',
    ],
  },
  {
    name: 'CI runs every test file, by npm test or by npm run test-more',
    complaints: (files) => {
      const { scripts } = JSON.parse(files.get('package.json')!) as { scripts: Record<string, string> }
      const commands = [...files.get('.ci/run')!.matchAll(/^npm (?:run )?(test\S*)$/gm)]
      // What test/suite.ts is called with: how the names of its steps begin.
      const begins = commands.map(([, name]) => scripts[name!]!.split(' ').at(-1)!)
      const globs = Object.entries(scripts)
        .filter(([name]) => begins.some((begin) => name.startsWith(begin)))
        .flatMap(([, script]) => [...script.matchAll(/(?<= )'([^'!]+\.test\.ts)'/g)].map(([, glob]) => glob!))
      // By name, so that the planted file, which is on no disk, shows whether some glob takes everything.
      return [...files.keys()].filter(
        (path) => path.endsWith('.test.ts') && !globs.some((glob) => matchesGlob(path, glob)),
      )
    },
    planted: ['src/elsewhere/planted.test.ts', ''],
  },
]

const threeFacts =
  /^\/\*\*\n \* Replaces: .+\n(?: \* .+\n)*? \* Buys: .*`npm run shortcuts`.*\n \* Compared in: (\S+\.test\.ts)\n \*\/\n/

const files = projectFiles()

for (const { name, complaints, planted } of guards) {
  test(name, () => {
    assert.deepEqual(complaints(files), [])
    assert.notDeepEqual(complaints(new Map([...files, planted])), [], 'the guard sees a planted violation')
  })
}

const inGraph = /^(src|sdk|partner-cli|bench|contract|test)\//
/** A tool or the test runner loads these, by their paths. */
const loadedByName = [
  'sdk/index.d.ts',
  'sdk/src/index.ts',
  'test/mutation/stryker.config.ts',
  'test/support/postgres-server.ts',
]

function code(files: Files): [string, string][] {
  return [...files].filter(([path]) => /\.(ts|js)$/.test(path))
}

/** What we ship: without the tests beside it. */
function sources(files: Files): [string, string][] {
  return code(files).filter(([path]) => path.startsWith('src/') && !path.endsWith('.test.ts'))
}

function importsOf(text: string): string[] {
  const references = /(?:^|\s)(?:from|import) '([^']+)'|\bimport\('([^']+)'\)|new URL\('([^']+\.ts)'/g
  return [...text.matchAll(references)].map(([, a, b, c]) => (a ?? b ?? c)!)
}

function isAllowed(path: string, target: string): boolean {
  const room = path.split('/')[1]!
  const wanted = target.replace(/^src\//, '')
  return (mayImport[room] ?? []).some((allowed) => wanted === allowed || wanted.startsWith(`${allowed}/`))
}

function isWithin(folder: string, path: string, specifier: string): boolean {
  return specifier.startsWith('.') && join(dirname(path), specifier).startsWith(folder)
}

function grep(files: [string, string][], pattern: RegExp, except: string[] = []): string[] {
  return files
    .filter(([path]) => !except.includes(path))
    .flatMap(([path, text]) =>
      text
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
}
