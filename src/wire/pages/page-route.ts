import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Registers a page or a file for GET and HEAD: link checkers and `curl -I` ask for the head alone. */
export function pageRoute(
  app: FastifyInstance,
  url: string,
  send: (reply: FastifyReply, request: FastifyRequest) => FastifyReply | Promise<FastifyReply>,
): void {
  app.route({ method: ['GET', 'HEAD'], url, handler: async (request, reply) => send(reply, request) })
}
