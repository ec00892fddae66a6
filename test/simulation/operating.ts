import { Unavailable } from '../../src/ledger/errors.ts'
import { Refused } from '../../src/partners/refused.ts'
import { Divergence } from './divergence.ts'
import type { Deployment } from './deployment.ts'
import type { Model } from './model.ts'
import { seenByAuditor, type SettingChange } from './settings.ts'
import { endFault, type Tally } from './tally.ts'

/** A row that the audit must have. */
export type AuditLine = { subject: string; action: string; at: number; after: string }

/** Applies an operator's changes to the service and to the model, and records the audit rows that they must leave. */
export class Operating {
  readonly audit: AuditLine[] = []
  readonly #deployment: Deployment
  readonly #model: Model
  readonly actor: string
  readonly #tally: Tally

  constructor(deployment: Deployment, model: Model, actor: string, tally: Tally) {
    this.#deployment = deployment
    this.#model = model
    this.actor = actor
    this.#tally = tally
  }

  /** False: it was refused, or failed. */
  async change(change: SettingChange, node: number): Promise<boolean> {
    if (!(await this.make(change, node))) return false
    const made = this.#tenantsMadeBy(change)
    change.apply(this.#model)
    for (const tenantId of made) this.record({ subject: `tenant ${tenantId}`, action: 'tenant create' })
    this.record(change)
    return true
  }

  /** Applies it to the service alone; false: it was refused, or failed. */
  async make(change: SettingChange, node: number): Promise<boolean> {
    const outcome = await this.#make(change, node)
    if (outcome !== 'failed' && change.isAllowed(this.#model) !== (outcome === 'made')) {
      throw new Divergence(`${change.action} was ${outcome}`)
    }
    return outcome === 'made'
  }

  /** For a change that is applied to both. */
  record({ subject, action }: Pick<SettingChange, 'subject' | 'action'>): void {
    this.audit.push({ subject, action, at: this.#model.now, after: seenByAuditor(this.#model, subject) })
  }

  async #make(change: SettingChange, node: number): Promise<'made' | 'refused' | 'failed'> {
    const { partners: store } = this.#deployment.nodes[node]!.store
    try {
      await change.make({ store, actor: this.actor, now: this.#model.now })
      endFault(this.#deployment, this.#tally)
      return 'made'
    } catch (error) {
      const fault = endFault(this.#deployment, this.#tally)
      if (error instanceof Refused) return 'refused'
      if (fault === null && !(this.#deployment.mayBeAway && error instanceof Unavailable)) throw error
      return (await this.#hasAuditRow(change)) ? 'made' : 'failed'
    }
  }

  /** A change that failed was made with its audit row or not at all. The comparison at the end would find a half one. */
  async #hasAuditRow(change: SettingChange): Promise<boolean> {
    const rows = await this.#deployment.raw.rows(`SELECT 1 FROM audit WHERE actor = '${this.actor}'`)
    const more = rows.length - this.audit.length
    const all = 1 + this.#tenantsMadeBy(change).length
    if (more !== 0 && more !== all) throw new Divergence(`${change.action} left ${more} audit rows`)
    return more === all
  }

  #tenantsMadeBy({ tenants = [] }: SettingChange): string[] {
    return tenants.filter((tenantId) => !this.#model.tenants.has(tenantId))
  }
}
