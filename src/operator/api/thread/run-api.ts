import { constants, platform, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type Clock, systemClock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { errorForLog } from '../../../wire/request-log.ts'
import { apiProblems, problemBody } from '../problem.ts'
import { problemOf } from '../problem-of.ts'
import { injectPassed } from './inject-passed.ts'
import type { FromThread, NodeReadings, PassedRequest, PassedResponse, ToThread } from './messages.ts'
import { openApi } from './open-api.ts'
import { openOnce } from './open-once.ts'

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

function readings(): Promise<NodeReadings | null> {
  const id = Math.max(0, ...waiting.keys()) + 1
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    send({ kind: 'readings', id })
  })
}

function warn(message: string): void {
  send({ kind: 'log', level: 'warn', fields: {}, message })
}

function onFailure(error: unknown, requestId: string): void {
  const fields = { requestId, err: errorForLog(error) }
  send({ kind: 'log', level: 'error', fields, message: 'a request of the operator API failed' })
}

// A ledger that cannot be opened now, for example because the database is restarted, is opened by a later request.
const open = openOnce(() => openApi(config, { clock, readings, warn, onFailure }))

async function respond(request: PassedRequest): Promise<Omit<PassedResponse, 'id'>> {
  try {
    const { app } = await open()
    return await injectPassed(app, request)
  } catch (error) {
    onFailure(error, request.requestId)
    const problem = problemOf(error)
    return {
      status: apiProblems[problem.code],
      headers: { 'content-type': 'application/problem+json; charset=utf-8', ...problem.headers },
      body: new TextEncoder().encode(JSON.stringify(problemBody(problem, request.requestId))),
      code: problem.code,
      signedInAs: null,
    }
  }
}

function send(message: FromThread, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved)
}

port.on('message', async (message: ToThread) => {
  switch (message.kind) {
    case 'request': {
      const { id, now } = message.request
      Object.assign(passed, { now, at: systemClock.elapsed() })
      const response = { id, ...(await respond(message.request)) }
      // Moved, not copied: a report may have megabytes.
      send({ kind: 'response', response }, [response.body.buffer as ArrayBuffer])
      return
    }
    case 'readings':
      waiting.get(message.id)?.(message.readings)
      waiting.delete(message.id)
      return
    case 'close': {
      const opened = await open().catch(() => null)
      await opened?.close()
      port.close()
    }
  }
})
