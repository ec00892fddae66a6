import type { HistoryPage } from '../../src/rules/history-page.ts'
import { type Asks, commandOf } from './asks.ts'
import { Divergence } from './divergence.ts'
import { type Appended, type Change, explain, type Sent } from './explain.ts'
import { answerOf, type Deployment } from './deployment.ts'
import type { Ask, Model } from './model.ts'
import type { Send } from './operations.ts'
import { endFault, type Tally } from './tally.ts'

const looksMax = 5

/** Sends awards at the same time and compares the outcomes, and what is then in the histories, with the model. */
export class Awarding {
  readonly #deployment: Deployment
  readonly #model: Model
  readonly #asks: Asks
  readonly #tally: Tally

  constructor(deployment: Deployment, model: Model, asks: Asks, tally: Tally) {
    this.#deployment = deployment
    this.#model = model
    this.#asks = asks
    this.#tally = tally
  }

  /** `meanwhile` happens while they are in flight: a failure, or the change of a setting. */
  async send(sends: Send[], meanwhile?: () => Promise<'lost' | Change | null>): Promise<void> {
    const answering = sends.flatMap((send) => {
      const ask = this.#asks.askOf(send)
      return ask === null ? [] : [this.#sendOne(ask, send.node)]
    })
    const happened = (await meanwhile?.()) ?? null
    const sent = await Promise.all(answering)
    const fault = endFault(this.#deployment, this.#tally)
    await this.#deployment.reopen()

    const unknown = sent.filter(({ answer }) => answer === null)
    this.#tally.unknown += unknown.length
    if (unknown.length > 0 && fault === null && happened !== 'lost') {
      this.#tally.unasked += unknown.length
      if (!this.#deployment.mayBeAway) throw new Divergence(`unavailable, and no fault:\n${shown(sent)}`)
    }
    const looks = await this.#look(unknown)
    const making = sent.filter(({ answer }) => answer === null || answer.kind === 'credited')
    const change = happened === 'lost' ? null : happened
    const appended =
      making.length === 1 && unknown.length === 0 && change === null
        ? this.#alone(making[0]!)
        : await this.#appended([...making, ...looks], sends[0]!.node)
    if (change !== null) await this.#addCaps(appended)
    if (!explain(this.#model, sent, appended, change)) throw this.#unexplained(sent, appended, fault)
    for (const look of looks) {
      if (!explain(this.#model, [look], appended)) throw this.#unexplained([look], appended, fault)
    }
    for (const { ids } of appended.values()) this.#tally.credited += ids.length
  }

  async #sendOne(ask: Ask, node: number): Promise<Sent> {
    const command = commandOf(ask)
    const answer = await answerOf(this.#deployment.nodes[node]!, command)
    return { ask, id: command.epTransactionId, answer }
  }

  /** A partner with an unknown outcome sends the order again: it finds the award, or credits it now. */
  async #look(unknown: Sent[]): Promise<Sent[]> {
    const orders = new Map(unknown.map(({ ask }) => [`${ask.partnerId} ${ask.orderId}`, ask]))
    const looks: Sent[] = []
    for (const ask of orders.values()) {
      for (let attempt = 1; ; attempt++) {
        const look = await this.#sendOne(ask, looks.length % this.#deployment.nodes.length)
        looks.push(look)
        if (look.answer !== null) break
        this.#tally.unasked++
        if (!this.#deployment.mayBeAway || attempt === looksMax) {
          throw new Divergence(`unavailable, and the fault is over:\n${shown([look])}`)
        }
      }
    }
    return looks
  }

  /** If only one award can have been credited, there is no need to search for it. */
  #alone({ ask, id }: Sent): Map<string, Appended> {
    return new Map([[accountOf(ask), { before: this.#model.history(ask).length, ids: [id] }]])
  }

  /** The new awards in the histories. Every acknowledged award must be there, on any node. */
  async #appended(sent: Sent[], node: number): Promise<Map<string, Appended>> {
    const appended = new Map<string, Appended>()
    for (const { ask } of sent) {
      const account = accountOf(ask)
      if (appended.has(account)) continue
      const before = this.#model.history(ask).length
      const { partnerId, tenantId } = ask
      const query = { partnerId, tenantId, beforeSeq: null, limit: sent.length + 1 }
      const page: HistoryPage = JSON.parse(
        await this.#deployment.nodes[node]!.store.ledger.historyPage(query),
      )
      const newest = page.items.map(({ epTransactionId }) => epTransactionId)
      const known = this.#model.history(ask).at(-1)?.id
      const fresh = known === undefined ? newest.length : newest.indexOf(known)
      if (fresh < 0) throw new Divergence(`${account} has ${known}, which is not among ${newest}`)
      appended.set(account, { before, ids: newest.slice(0, fresh).reverse() })
    }
    const asked = new Set(sent.map(({ id }) => id))
    const stranger = [...appended.values()].flatMap(({ ids }) => ids).find((id) => !asked.has(id))
    if (stranger !== undefined) throw new Divergence(`${stranger} was credited and not acknowledged`)
    return appended
  }

  /** While a setting changes, only the entries themselves say which caps applied to them. */
  async #addCaps(appended: Map<string, Appended>): Promise<void> {
    for (const [account, fresh] of appended) {
      const [partnerId, tenantId] = account.split(' ')
      const rows = await this.#deployment.raw.rows(
        `SELECT per_tx, per_partner_day, per_user_day FROM entries
         WHERE partner_id = '${partnerId}' AND tenant_id = '${tenantId}' AND seq > ${fresh.before} ORDER BY seq`,
      )
      fresh.caps = rows.map(({ per_tx, per_partner_day, per_user_day }) => ({
        perTx: Number(per_tx),
        perPartnerDay: Number(per_partner_day),
        perUserDay: Number(per_user_day),
      }))
    }
  }

  #unexplained(sent: Sent[], appended: Map<string, Appended>, fault: string | null): Divergence {
    const first = sent.map(({ ask, id }) => `  ${JSON.stringify(this.#model.answer(ask, id))}`)
    return new Divergence(
      [
        `no order of the model explains${fault === null ? '' : `, after "${fault}",`}`,
        shown(sent),
        `each of them, if it came first:`,
        ...first,
        `new in the histories: ${JSON.stringify([...appended])}`,
      ].join('\n'),
    )
  }
}

function accountOf({ partnerId, tenantId }: Ask): string {
  return `${partnerId} ${tenantId}`
}

function shown(sent: Sent[]): string {
  return sent
    .map(({ ask, id, answer }) => `  ${JSON.stringify({ ...ask, id, answer: answer ?? 'none' })}`)
    .join('\n')
}
