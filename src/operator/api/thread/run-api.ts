import { constants, platform, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type Clock, systemClock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { errorForLog } from '../../../wire/request-log.ts'
import { createGuard } from '../../access/guard.ts'
import { createIdentify } from '../../access/identify.ts'
import { createApi, passedHeaders } from '../app.ts'
import { apiProblems, problemBody } from '../problem.ts'
import { problemOf } from '../problem-of.ts'
import { routes } from '../routes.ts'
import type { FromThread, NodeReadings, PassedRequest, PassedResponse, ToThread } from './messages.ts'
import { openOnce } from './open-once.ts'
import { openParts } from './open-parts.ts'

/** The program of the API's thread. */
const port = parentPort!
const config = workerData as Config
// On Linux, and only there, this is the priority of the thread and not of the process: awards come first.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** The time of the main thread, as of the last request, moved on by our own measure. */
const passed = { now: 0, at: 0 }
const clock: Clock = {
  now: () => passed.now + Math.round(systemClock.elapsed() - passed.at),
  elapsed: () => systemClock.elapsed(),
}
const waiting = new Map<number, (readings: NodeReadings | null) => void>()

function send(message: FromThread, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}

function warn(message: string): void {
  send({ kind: 'log', level: 'warn', fields: {}, message })
}

function onFailure(error: unknown, requestId: string): void {
  const fields = { requestId, err: errorForLog(error) }
  send({ kind: 'log', level: 'error', fields, message: 'a request of the operator API failed' })
}

function readings(): Promise<NodeReadings | null> {
  const id = waiting.size === 0 ? 1 : Math.max(...waiting.keys()) + 1
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send({ kind: 'readings', id })
  })
}

const open = openOnce(async () => {
  const parts = await openParts(config, { readings, warn })
  const store = parts.operators
  const identify = createIdentify({ store, clock, cookies: { isSecure: false } })
  const guard = createGuard({ identify, sessions: store.sessions, clock, operatorUrl: null })
  return { parts, app: createApi({ routes, guard, openParts: parts.forCall, onFailure }) }
})

async function respond(request: PassedRequest): Promise<Omit<PassedResponse, 'id'>> {
  const { method, url, headers, body, requestId } = request
  try {
    const { app } = await open()
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...headers,
        [passedHeaders.address]: request.address ?? '',
        [passedHeaders.requestId]: requestId,
        [passedHeaders.now]: String(request.now),
      },
      ...(body === null ? {} : { payload: Buffer.from(body) }),
    })
    const passedBack = response.headers as PassedResponse['headers']
    return { status: response.statusCode, headers: passedBack, body: new Uint8Array(response.rawPayload) }
  } catch (error) {
    onFailure(error, requestId)
    const problem = problemOf(error)
    return {
      status: apiProblems[problem.code].status,
      headers: { 'content-type': 'application/problem+json; charset=utf-8', ...problem.headers },
      body: Buffer.from(JSON.stringify(problemBody(problem, requestId))),
    }
  }
}

port.on('message', async (message: ToThread) => {
  switch (message.kind) {
    case 'request': {
      const { id, now } = message.request
      Object.assign(passed, { now, at: systemClock.elapsed() })
      send({ kind: 'response', response: { id, ...(await respond(message.request)) } })
      return
    }
    case 'readings':
      waiting.get(message.id)?.(message.readings)
      waiting.delete(message.id)
      return
    case 'close': {
      const opened = await open().catch(() => null)
      await opened?.parts.close()
      port.close()
    }
  }
})
