import { type Lifetime, startService, type TestService } from '../../test/support/service.ts'
import { type AwardRequest, award } from '../src/award.ts'
import { createAwards } from '../src/awards.ts'
import { checkConnection, type PartnerCreditOptions } from '../src/connection.ts'
import { PartnerCredit } from '../src/index.ts'
import { type CallOptions, createRequester } from '../src/requester.ts'

export type LiveService = {
  service: TestService
  /** Those of the partner "acme". */
  options: { baseUrl: string; apiKey: string; signingSecret: string }
  credit: PartnerCredit
}

/** A real service, on the time of this machine, and the client of one of its partners. */
export async function startLive(test: Lifetime, environment?: Record<string, string>): Promise<LiveService> {
  const service = await startService(test, environment, { nodes: 1 })
  service.clock.set(Date.now())
  const { apiKey, signingSecret } = service.acme
  const options = { baseUrl: service.url, apiKey, signingSecret }
  return { service, options, credit: new PartnerCredit(options) }
}

/** The same client on the service's own clock, which its waiting moves: nobody sleeps. */
export function clientInTestTime(
  options: PartnerCreditOptions,
  { clock }: TestService,
  { skewMs = () => 0, random = () => 0.5 }: { skewMs?: () => number; random?: () => number } = {},
) {
  const waits: number[] = []
  const request = createRequester(checkConnection(options), {
    now: () => clock.now() + skewMs(),
    random,
    sleep: async (ms) => {
      waits.push(ms)
      clock.advance(ms)
    },
  })
  return {
    waits,
    award: (order: AwardRequest, callOptions?: CallOptions) => award(request, order, callOptions),
    awards: createAwards(request),
  }
}

let orders = 0

export function anOrder(fields: Partial<AwardRequest> = {}): AwardRequest {
  orders++
  return {
    tenantId: 't1',
    orderId: `order-${orders}`,
    userEmail: `user${orders}@example.com`,
    amount: 5000,
    ...fields,
  }
}
