import { Worker } from 'node:worker_threads'

/** The JavaScript of TypeScript files. It takes CPU time, so a worker thread does it and awards are not delayed. */
export function withoutTypes(files: URL[]): Promise<string[]> {
  const worker = new Worker(new URL('./strip-types.ts', import.meta.url), {
    workerData: files.map(({ href }) => href),
    // Keeps Node's warning about an experimental feature out of the log.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}
