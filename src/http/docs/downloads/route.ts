import type { FastifyInstance } from 'fastify'
import { pageRoute } from '../../../wire/pages/page-route.ts'
import { packages } from './packages.ts'

/** The packages for partners, as files that npm installs. */
export function downloadRoutes(app: FastifyInstance): void {
  for (const { path, tarball } of Object.values(packages)) {
    pageRoute(app, path, async (reply) =>
      reply
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', 'attachment')
        .type('application/gzip')
        .send(await tarball()),
    )
  }
}
