import type { FastifyReply } from 'fastify'
import type { Caller } from '../access/key-directory.ts'

/** On every response about a sandbox tenant of the caller. Whether somebody else's tenant is one is never disclosed. */
export function markSandbox(
  reply: FastifyReply,
  { sandboxTenants }: Caller,
  tenantId: string | undefined,
): void {
  if (tenantId !== undefined && sandboxTenants.has(tenantId)) reply.header('ep-sandbox', 'true')
}
