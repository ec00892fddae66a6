import { readdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** What browsers are given. Scripts keep their places under src, so that their imports lead to each other unchanged. */
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
 * The scripts without their types, made when they are first asked for. It takes a moment of computing, which a thread
 * of its own keeps away from the awards.
 */
export function browserScripts(): Promise<Map<string, string>> {
  scripts ??= stripped(scriptPaths()).catch((error: unknown) => {
    scripts = undefined // the next one who asks may have more luck
    throw error
  })
  return scripts
}

function stripped(paths: string[]): Promise<Map<string, string>> {
  const files = paths.map((path) => new URL(path.slice(urlStart.length), source).href)
  const worker = new Worker(new URL('./strip-types.ts', import.meta.url), {
    workerData: files,
    // Node says of each use that it might change: the log is not the place for it.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  return new Promise((resolve, reject) => {
    worker.once('message', (texts: string[]) =>
      resolve(new Map(paths.map((path, index) => [path, texts[index]!]))),
    )
    worker.once('error', reject)
  })
}
