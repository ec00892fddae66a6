import type { AwardCommand } from '../../src/rules/entry.ts'
import type { Ask } from './model.ts'
import { otherMeta, otherWriting, type Send } from './operations.ts'

let runs = 0
let ids = 0

/** Turns the numbers of an operation into real awards of partners and tenants that only this run has. */
export class Asks {
  readonly run = `r${++runs}`
  readonly #past: Ask[] = []

  partnerId(partner: number): string {
    return `${this.run}-p${partner}`
  }

  tenantId(tenant: number): string {
    return `${this.run}-t${tenant}`
  }

  /** Null: there is no award yet that could be sent again. */
  askOf(send: Send): Ask | null {
    const ask = 'again' in send ? this.#again(send) : this.#fresh(send)
    if (ask !== null) this.#past.push(ask)
    return ask
  }

  #fresh({ partner, tenant, order, user, amount, note, meta }: Extract<Send, { order: number }>): Ask {
    return {
      partnerId: this.partnerId(partner),
      tenantId: this.tenantId(tenant),
      orderId: `order ${order}`,
      userEmail: userEmail(user),
      amount,
      note,
      meta,
    }
  }

  #again({ again, changed }: Extract<Send, { again: number }>): Ask | null {
    const ask = this.#past.at(-1 - (again % Math.max(1, this.#past.length)))
    if (ask === undefined) return null
    const other = <T>(value: T, first: T, second: T) => (value === first ? second : first)
    switch (changed) {
      case 'nothing':
        return ask
      case 'tenantId':
        return { ...ask, tenantId: other(ask.tenantId, this.tenantId(0), this.tenantId(1)) }
      case 'userEmail':
        return { ...ask, userEmail: other(ask.userEmail, userEmail(0), userEmail(1)) }
      case 'amount':
        return { ...ask, amount: ask.amount > 1 ? ask.amount - 1 : 2 }
      case 'note':
        return { ...ask, note: other<string | null>(ask.note, null, '') }
      case 'meta':
        return { ...ask, meta: otherMeta(ask.meta) }
      case 'writing of meta':
        return { ...ask, meta: otherWriting(ask.meta) }
    }
  }
}

function userEmail(user: number): string {
  return `user${user}@example.vn`
}

/** As the listener makes it, except that ids and salts are counted, so that a seed repeats a run. */
export function commandOf(ask: Ask): AwardCommand {
  const number = (++ids).toString(16).padStart(12, '0')
  return { ...ask, epTransactionId: `00000000-0000-7000-8000-${number}`, salt: Buffer.from(`salt${number}`) }
}
