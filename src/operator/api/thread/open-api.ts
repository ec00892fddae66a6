import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { createApi } from '../app.ts'
import type { ApiParts } from '../parts.ts'
import { routes } from '../routes.ts'
import { openParts } from './open-parts.ts'

type Needs = {
  clock: Clock
  readings: ApiParts['readings']
  warn(message: string): void
  /** What is not the request's fault. */
  onFailure(error: unknown, requestId: string): void
}

/** Everything that the API needs, on this ledger. */
export async function openApi(
  config: Config,
  { onFailure, ...needs }: Needs,
): Promise<{ app: FastifyInstance; close(): Promise<void> }> {
  const parts = await openParts(config, needs)
  const { guard } = parts.access
  return {
    app: createApi({ routes, guard, openParts: parts.forCall, onFailure }),
    close: parts.close,
  }
}
