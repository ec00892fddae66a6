import { isDeepStrictEqual } from 'node:util'
import { verifyLedger } from '../../src/proof/verify.ts'
import { aNoon } from '../support/test-clock.ts'
import { Asks } from './asks.ts'
import { Awarding } from './awarding.ts'
import { compareLedger } from './compare-ledger.ts'
import { Divergence } from './divergence.ts'
import { defaultCaps, type Deployment } from './deployment.ts'
import { midnightAfter, Model } from './model.ts'
import { Operating } from './operating.ts'
import { type FaultAt, type Operation, partnerCount, tenantCount } from './operations.ts'
import { defaultsChange, partnerCreation, settingChange, tryChange } from './settings.ts'
import type { Tally } from './tally.ts'
import { type Walked, Walks } from './walks.ts'

const answerWithinMs = 30_000

/**
 * One run: operations on its own partners and tenants, each performed by the service and by the model, which must agree
 * on every outcome; at the end they must agree on the ledger itself.
 */
export class Run {
  readonly #deployment: Deployment
  readonly #tally: Tally
  readonly #model = new Model(defaultCaps)
  readonly #asks = new Asks()
  readonly #awarding: Awarding
  readonly #operating: Operating
  readonly #walks: Walks

  constructor(deployment: Deployment, tally: Tally) {
    this.#deployment = deployment
    this.#tally = tally
    this.#awarding = new Awarding(deployment, this.#model, this.#asks, tally)
    this.#operating = new Operating(deployment, this.#model, this.#asks.run, tally)
    this.#walks = new Walks(deployment, this.#model)
  }

  async perform(operations: Operation[]): Promise<void> {
    this.#setClock(aNoon)
    // An earlier run on the same ledger may have left others.
    while (!(await this.#operating.change(defaultsChange(defaultCaps), 0)));
    const tenants = Array.from({ length: tenantCount }, (_, tenant) => this.#asks.tenantId(tenant))
    for (let partner = 0; partner < partnerCount; partner++) {
      await this.#operating.change(partnerCreation(this.#asks.partnerId(partner), tenants), 0)
    }
    for (const operation of operations) await inTime(this.#perform(operation))
    await compareLedger(this.#deployment.raw, this.#model, this.#operating)
  }

  async #perform(operation: Operation): Promise<void> {
    this.#tally.operations++
    switch (operation.kind) {
      case 'send':
        this.#tally.operations += operation.sends.length - 1
        this.#arm(operation.fault)
        return this.#awarding.send(operation.sends)
      case 'crash':
        this.#tally.operations += operation.sends.length
        return this.#awarding.send(operation.sends, async () => {
          for (let turn = 0; turn < operation.turns; turn++) await new Promise(setImmediate)
          await this.#deployment.crash(operation.node)
          return 'lost'
        })
      case 'walk':
        return this.#walk(operation)
      case 'read on':
        return check(await this.#walks.readOn(operation))
      case 'clock':
        return this.#setClock(this.#timeOf(operation))
      case 'set':
        return this.#set(operation)
      case 'verify':
        return verify(this.#deployment)
    }
  }

  #arm(fault: FaultAt | null): void {
    if (fault !== null) this.#deployment.faults.arm(fault.point, fault.passings)
  }

  async #walk({ partner, tenant, limit, node, during }: Extract<Operation, { kind: 'walk' }>): Promise<void> {
    const account = { partnerId: this.#asks.partnerId(partner), tenantId: this.#asks.tenantId(tenant) }
    const waiting = [...during]
    const meanwhile = async () => {
      const next = waiting.shift()
      if (next === undefined) return
      this.#tally.operations++
      await this.#awarding.send([next])
    }
    check(await this.#walks.walk(account, { limit, node, meanwhile }))
  }

  async #set({ setting, fault, during }: Extract<Operation, { kind: 'set' }>): Promise<void> {
    const { partner, tenant, node } = setting
    const change = settingChange(setting, this.#asks.partnerId(partner), this.#asks.tenantId(tenant))
    if (during.length === 0) {
      this.#arm(fault)
      await this.#operating.change(change, node)
      return
    }
    this.#tally.operations += during.length
    // All for the account that is changed: others may still have the old setting for a moment.
    const sends = during
      .filter((send) => setting.set !== 'defaults' || !('again' in send))
      .map((send) => ('again' in send ? send : { ...send, partner, tenant }))
    let isMade = false
    await this.#awarding.send(sends, async () => {
      isMade = await this.#operating.make(change, node)
      return isMade ? (model) => tryChange(model, change) : null
    })
    if (isMade) this.#operating.record(change)
  }

  #timeOf(to: Extract<Operation, { kind: 'clock' }>): number {
    if ('forwardMs' in to) return this.#model.now + to.forwardMs
    const beside = { 'before midnight': -1, midnight: 0, 'after midnight': 1 }[to.at]
    return midnightAfter(this.#model.now) + to.days * 86_400_000 + beside
  }

  #setClock(ms: number): void {
    this.#model.now = ms
    this.#deployment.clock.set(ms)
  }
}

function check({ seen, expected }: Walked): void {
  if (isDeepStrictEqual(seen, expected)) return
  throw new Divergence(`a walk shows\n${JSON.stringify(seen)}\nnot\n${JSON.stringify(expected)}`)
}

/** Everything that this ledger holds, of all runs. */
export async function verify(deployment: Deployment): Promise<void> {
  const snapshot = await deployment.nodes[0]!.store.snapshot()
  try {
    const { sound, fault } = await verifyLedger(snapshot, () => {})
    if (!sound) throw new Divergence(`verify: ${fault}`)
  } finally {
    await snapshot.close()
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Divergence('nobody answers')), answerWithinMs)
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
