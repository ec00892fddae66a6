import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = 'sdk/index.d.ts'
const root = fileURLToPath(new URL('../../', import.meta.url))
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const notice = '// Made from the types in sdk/src by `npm run contract`. Do not edit.'

/**
 * The types of the SDK in one file: the service packs it into the SDK that it serves and makes a page of it, where no
 * compiler is installed.
 */
export function sdkTypes(): [path: string, text: string] {
  const modules = compiled()
  const all = new Map([...modules.values()].flatMap(declarationsIn))
  const exported = exportedNames(modules)
  const needed = withNeeded(exported, all)
  const text = needed.map((name) => {
    const declaration = all.get(name)!
    return exported.includes(name) ? declaration : declaration.replace(/^export /m, '')
  })
  return [path, formatted(`${[notice, ...text, 'export {}'].join('\n\n')}\n`)]
}

function compiled(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-types-'))
  try {
    execFileSync(bin('tsc'), ['-p', 'sdk', '--emitDeclarationOnly', '--outDir', folder], { cwd: root })
    return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Each declaration with the comment above it. */
function declarationsIn(module: string): [name: string, text: string][] {
  const statements = module.split(/\n(?=\/\*\*|(?<!\*\/\n)(?:export|type|declare|import)\b)/)
  return statements.flatMap((text) => {
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:type|class|function|const) (\w+)/m.exec(
      text,
    )?.[1]
    return name === undefined ? [] : [[name, text.trim()]]
  })
}

function exportedNames(modules: Map<string, string>): string[] {
  const index = modules.get('index.d.ts')!
  const named = [...index.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) =>
    [...list!.matchAll(/(?!type\b)\b\w+/g)].map(([name]) => name),
  )
  const starred = [...index.matchAll(/export \* from '\.\/([\w-]+)\.ts'/g)].flatMap(([, module]) =>
    declarationsIn(modules.get(`${module}.d.ts`)!).map(([name]) => name),
  )
  return [...named, ...starred]
}

/** The exported names, and those of all that they mention. */
function withNeeded(names: string[], all: Map<string, string>): string[] {
  const needed = new Set(names)
  for (const name of needed) {
    const code = all.get(name)!.replace(/\/\*\*.*?\*\//gs, '')
    for (const [word] of code.matchAll(/\b[A-Z]\w*/g)) if (all.has(word)) needed.add(word)
  }
  return [...needed]
}

function formatted(text: string): string {
  return execFileSync(bin('biome'), ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
}
