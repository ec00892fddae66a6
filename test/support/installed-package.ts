import { equal } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tarball } from '../../src/http/docs/downloads/tarball.ts'
import { type Lifetime, temporaryFolder } from './service.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * What partners install: a packed workspace, installed into a project that has nothing else. Its dependencies are
 * packed from node_modules, so that no test needs a network.
 */
export async function installPackage(
  test: Lifetime,
  workspace: string,
  dependencies: string[] = [],
): Promise<{ folder: string; project: string; tarball: string }> {
  const folder = temporaryFolder(test)
  await run('npm', ['pack', join(root, workspace), '--pack-destination', folder, '--loglevel=error'])
  const packed = join(folder, globSync('*.tgz', { cwd: folder })[0]!)
  const needed = await packInstalled(dependencies, join(folder, 'needed'))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  const offline = ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', [...offline, packed, ...needed], { cwd: project })
  return { folder, project, tarball: packed }
}

/** Installed packages, packed, so that no test needs a network. Not by npm, which takes seconds to start. */
export async function packInstalled(names: string[], destination: string): Promise<string[]> {
  mkdirSync(destination, { recursive: true })
  const packed = names.map(async (name) => {
    const folder = join(root, 'node_modules', name)
    const paths = globSync('**/*.{js,cjs,mjs,json,ts,cts,mts}', { cwd: folder })
    const files = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
    const file = join(destination, `${name}.tgz`)
    writeFileSync(file, await tarball(files))
    return file
  })
  return Promise.all(packed)
}

/** Compiles the .ts files of a project as a partner would who checks as strictly as possible, our types included. */
export async function compileAsPartner(project: string): Promise<void> {
  mkdirSync(join(project, 'node_modules/@types'))
  for (const types of ['@types/node', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', types), join(project, 'node_modules', types))
  }
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['esnext'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await run(join(root, 'node_modules/.bin/tsc'), [], { cwd: project }).catch(({ stdout }) =>
    equal(stdout, ''),
  )
}

/** The Node that runs this test, and the machine's own if it has one: in CI, the oldest that we support. */
export function nodesOfMachine(): Promise<Record<string, string>> {
  nodes ??= findNodes()
  return nodes
}

let nodes: Promise<Record<string, string>> | undefined

async function findNodes(): Promise<Record<string, string>> {
  const found: Record<string, string> = { [process.version]: process.execPath }
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  for (const folder of folders) {
    const node = join(folder, 'node')
    const version = await run(node, ['--version']).catch(() => null)
    if (version !== null) found[version.stdout.trim()] ??= node
  }
  return found
}

type Example = { code: string; output: string }

/** The examples of a page in a language, each with the output that the page shows. */
export function examplesIn(page: string, language: 'ts' | 'sh'): Example[] {
  const fences = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
  return fences.flatMap(([, ofFence, code], index) => {
    if (ofFence !== language) return []
    const [, nextLanguage, output] = fences[index + 1] ?? []
    return [{ code: code!, output: nextLanguage === 'text' ? output! : '' }]
  })
}
