import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../ledger/errors.ts'

/** The one message that a program posts. It takes CPU time, so a worker thread runs it and awards are not delayed. */
export function fromThread<T>(program: URL, workerData?: unknown): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // Throws if the process may have no more threads now.
    const worker = new Worker(program, {
      workerData,
      // Keeps Node's warning about an experimental feature out of the log.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.once('message', resolve)
    worker.once('error', reject)
  }).catch((error) => {
    throw new Unavailable('no thread can be started', { cause: error })
  })
}
