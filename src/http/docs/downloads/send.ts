import type { SendPage } from '../../../wire/pages/page-route.ts'
import { packages } from './packages.ts'

/** The packages for partners, as files that npm installs. */
export function downloads(): [path: string, SendPage][] {
  return Object.values(packages).map(({ path, tarball }) => [
    path,
    async (reply) =>
      reply
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', 'attachment')
        .type('application/gzip')
        .send(await tarball()),
  ])
}
