import { readFileSync } from 'node:fs'
import { madeOnce } from '../../../wire/pages/made-once.ts'
import { withoutTypes } from '../../../wire/pages/without-types.ts'
import { importedFrom } from './imported-from.ts'
import { tarball } from './tarball.ts'

const root = new URL('../../../../', import.meta.url)

/** What partners install, packed from the sources by the service itself: nothing has to be built or published first. */
export const packages = {
  sdk: packed({ folder: 'sdk', entry: 'sdk/src/index.ts', sources: 'sdk/src/', types: 'sdk/index.d.ts' }),
  // It brings the SDK and the signature debugger along, so its code keeps the paths of the repository.
  cli: packed({ folder: 'partner-cli', entry: 'partner-cli/src/main.ts', sources: '', types: null }),
}

type Source = { folder: string; entry: string; sources: string; types: string | null }
type Package = {
  name: string
  version: string
  path: string
  readme: string
  /** Its declarations in one file, or nothing. */
  types: string
  tarball: () => Promise<Buffer>
}

function packed(source: Source): Package {
  const read = (file: string) => readFileSync(new URL(`${source.folder}/${file}`, root), 'utf8')
  // The package is made already, so the scripts that make it are left out.
  const { scripts: _, ...manifest } = JSON.parse(read('package.json'))
  const { name, version } = manifest as { name: string; version: string }
  const readme = read('README.md')
  const types = source.types === null ? '' : readFileSync(new URL(source.types, root), 'utf8')
  return {
    name,
    version,
    path: `/docs/downloads/${name}-${version}.tgz`,
    readme,
    types,
    tarball: madeOnce(async () => {
      const files = new Map([
        ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
        ['README.md', readme],
        ['LICENSE', read('LICENSE')],
        ...(await compiled(source)),
        ...(types === '' ? [] : [['dist/index.d.ts', types] as const]),
      ])
      return tarball(files)
    }),
  }
}

async function compiled({ entry, sources }: Source): Promise<[path: string, text: string][]> {
  const paths = await importedFrom(entry, root)
  const scripts = await withoutTypes(paths.map((path) => new URL(path, root)))
  return paths.map((path, index): [string, string] => [
    `dist/${path.slice(sources.length).replace(/\.ts$/, '.js')}`,
    asJavaScript(scripts[index]!),
  ])
}

/** Imports name the files that are in the package. Where a type was, there are blanks now. */
function asJavaScript(script: string): string {
  return script.replace(/((?:from|import) '\.[^']+|\bimport\('\.[^']+)\.ts'/g, "$1.js'")
}
