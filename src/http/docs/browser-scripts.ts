import { readdirSync } from 'node:fs'
import { madeOnce } from '../../wire/pages/made-once.ts'
import { withoutTypes } from '../../wire/pages/without-types.ts'

/** The scripts served to browsers. They keep their paths under src, so that their imports work unchanged. */
const folders = ['doctor', 'http/docs/site']
const files = ['clock.ts']
const source = new URL('../../', import.meta.url)
const urlStart = '/docs/scripts/'

export function scriptPaths(): string[] {
  const within = folders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, source))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`),
  )
  return [...files, ...within].map((path) => `${urlStart}${path}`)
}

/** The scripts by their paths, without types; made on the first request. */
export const browserScripts = madeOnce(async () => {
  const paths = scriptPaths()
  const texts = await withoutTypes(paths.map((path) => new URL(path.slice(urlStart.length), source)))
  return new Map(paths.map((path, index) => [path, texts[index]!]))
})
