import { parentPort } from 'node:worker_threads'
import type { ToThread } from '../../src/operator/api/thread/messages.ts'

/** The program of a thread that does what the path says: ends, fails, never responds, or responds. */
const port = parentPort!

port.on('message', (message: ToThread) => {
  if (message.kind === 'close') port.close()
  if (message.kind !== 'request') return
  const { id, url } = message.request
  if (url === '/ends') process.exit(0)
  if (url === '/fails') throw new Error('a planted failure')
  if (url === '/never') return
  const body = new TextEncoder().encode(url)
  const response = { id, status: 200, headers: {}, body, code: null, signedInAs: null }
  port.postMessage({ kind: 'response', response })
})
