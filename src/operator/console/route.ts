import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pageRoutes, type SendPage } from '../../wire/pages/page-route.ts'
import { type ConsoleFile, consoleFiles, consolePaths } from './files.ts'

/** The scripts and the style of the console. Its pages are in document.ts. */
export function consoleRoutes(app: FastifyInstance): void {
  const send: SendPage = async (reply, request, path) =>
    sendConsoleFile(reply, request, (await consoleFiles()).get(path)!)
  pageRoutes(app, '/console', new Map(consolePaths().map((path) => [path, send])))
}

/** Browsers keep the file and ask whether it has changed: a new version of the service is seen at once. */
function sendConsoleFile(reply: FastifyReply, request: FastifyRequest, file: ConsoleFile): FastifyReply {
  reply
    .header('cache-control', 'no-cache')
    .header('etag', file.etag)
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin')
    .type(`${file.type}; charset=utf-8`)
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(file.bytes)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}
