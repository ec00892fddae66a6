import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { closeAfter } from './connection.ts'
import { limits } from './limits.ts'
import { type Problem, sendProblem } from './problem.ts'

/** Refuses a request whose body nobody has read, once that has passed. */
export async function refuseUnread(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): Promise<void> {
  await passOverBody(request, reply)
  sendProblem(request, reply, problem)
}

/**
 * Lets a body pass that nobody will read, before the request is refused. An answer that overtakes its body leaves
 * the rest on the wire: it would be taken for the next request, or reset the connection before the client has read
 * the answer. A body that does not end within the limit is not waited for; its connection will be closed.
 */
export async function passOverBody({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
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
