import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type SendPage = (
  reply: FastifyReply,
  request: FastifyRequest,
  path: string,
) => FastifyReply | Promise<FastifyReply>

const method = ['GET', 'HEAD']

/** Registers a page or a file for GET and HEAD: link checkers and `curl -I` ask for the head alone. */
export function pageRoute(app: FastifyInstance, url: string, send: SendPage): void {
  app.route({ method, url, handler: async (request, reply) => send(reply, request, url) })
}

/**
 * The same for all pages below a path, such as `/docs`, as one route: a route of its own for each would take a tenth of a
 * server's start. The listener looks into `pages`, so that no other path gets here (protocolProblem).
 */
export function pageRoutes(app: FastifyInstance, below: string, pages: ReadonlyMap<string, SendPage>): void {
  app.route({
    method,
    url: `${below}/*`,
    config: { pages: [...pages.keys()] },
    handler: async (request, reply) => {
      const path = pathOf(request)
      return pages.get(path)!(reply, request, path)
    },
  })
}

/** For the log and the metrics: the path of a page, and not the route that it shares. */
export function routeOf(request: FastifyRequest): string | undefined {
  const { url, config } = request.routeOptions
  if (config?.pages === undefined) return url
  const path = pathOf(request)
  return config.pages.includes(path) ? path : undefined
}

function pathOf({ raw }: FastifyRequest): string {
  return raw.url!.split('?', 1)[0]!
}

declare module 'fastify' {
  interface FastifyContextConfig {
    pages?: string[]
  }
}
