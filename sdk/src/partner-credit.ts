import { type Award, type AwardRequest, award } from './award.ts'
import { type Awards, createAwards } from './awards.ts'
import { checkConnection, type PartnerCreditOptions } from './connection.ts'
import { type CallOptions, createRequester, type Requester } from './requester.ts'
import { theWorld } from './world.ts'

export type { PartnerCreditOptions } from './connection.ts'

/**
 * The client of the service: signs every request, retries it where that is safe, and throws errors that say what to do.
 * One object serves any number of concurrent calls. Key and secret are in private fields: neither a log nor JSON shows
 * them.
 *
 * @example
 * ```ts
 * import { PartnerCredit } from 'partner-credit-client'
 *
 * const credit = new PartnerCredit({
 *   baseUrl: process.env.BASE_URL, // https://credit.example.com
 *   apiKey: process.env.API_KEY,
 *   signingSecret: process.env.SIGNING_SECRET,
 * })
 * const { points } = await credit.award({
 *   tenantId: 't1',
 *   orderId: 'order-1001',
 *   userEmail: 'ann@example.com',
 *   amount: 5250,
 * })
 * ```
 */
export class PartnerCredit {
  /** Without a slash at its end. */
  readonly baseUrl: string
  /**
   * Your awards in a tenant, newest first. `awards(…)` iterates over all pages; `awards.page(…)` gets one.
   *
   * @example
   * ```ts
   * import { PartnerCredit } from 'partner-credit-client'
   *
   * declare const credit: PartnerCredit
   * for await (const { orderId, points } of credit.awards({ tenantId: 't1' })) console.log(orderId, points)
   * ```
   */
  readonly awards: Awards
  readonly #request: Requester

  constructor(options: PartnerCreditOptions) {
    const connection = checkConnection(options)
    this.baseUrl = connection.baseUrl
    this.#request = createRequester(connection, theWorld)
    this.awards = createAwards(this.#request)
  }

  /**
   * Credits an order, once. Calling it again with the same order is safe: it resolves with the first award and
   * `duplicate: true`. After an error whose `mayBeCredited` is true, or a signal that ended the call, the order may or may not
   * have been credited; make the same call later to find out.
   */
  award(order: AwardRequest, options?: CallOptions): Promise<Award> {
    return award(this.#request, order, options)
  }
}
