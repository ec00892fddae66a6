import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { closeAfter } from './connection.ts'
import { limits } from './limits.ts'
import { type Problem, sendProblem } from './problem.ts'

/** Discards the body of a request, then refuses it. */
export async function refuseUnread(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): Promise<void> {
  await discardBody(request, reply)
  sendProblem(request, reply, problem)
}

/**
 * Reads and discards a body before its request is refused. If the response were sent first, the rest of the body would
 * be parsed as the next request, or would reset the connection before the client has read the response. A body beyond
 * the size limit is not read to its end; its connection is closed.
 */
export async function discardBody({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!(await ends(raw))) closeAfter(reply.raw)
}

function ends(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0
    request.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > limits.bodyBytesMax) resolve(false)
    })
    request.once('end', () => resolve(true))
    request.once('close', () => resolve(false))
  })
}
