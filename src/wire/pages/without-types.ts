import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../ledger/errors.ts'

/** The JavaScript of TypeScript files. It takes CPU time, so a worker thread does it and awards are not delayed. */
export function withoutTypes(files: URL[]): Promise<string[]> {
  return new Promise<string[]>((resolve, reject) => {
    // Throws if the process may have no more threads now.
    const worker = new Worker(new URL('./strip-types.ts', import.meta.url), {
      workerData: files.map(({ href }) => href),
      // Keeps Node's warning about an experimental feature out of the log.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.once('message', resolve)
    worker.once('error', reject)
  }).catch((error) => {
    throw new Unavailable('no thread can be started', { cause: error })
  })
}
