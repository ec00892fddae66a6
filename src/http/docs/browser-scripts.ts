import { readdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

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

let scripts: Promise<Map<string, string>> | undefined

/**
 * The scripts without their types, made on the first request. Stripping takes CPU time, so a worker thread does it and
 * awards are not delayed.
 */
export function browserScripts(): Promise<Map<string, string>> {
  scripts ??= stripped(scriptPaths()).catch((error: unknown) => {
    scripts = undefined // the next request tries again
    throw error
  })
  return scripts
}

function stripped(paths: string[]): Promise<Map<string, string>> {
  const files = paths.map((path) => new URL(path.slice(urlStart.length), source).href)
  const worker = new Worker(new URL('./strip-types.ts', import.meta.url), {
    workerData: files,
    // Keeps Node's warning about an experimental feature out of the log.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  return new Promise((resolve, reject) => {
    worker.once('message', (texts: string[]) =>
      resolve(new Map(paths.map((path, index) => [path, texts[index]!]))),
    )
    worker.once('error', reject)
  })
}
