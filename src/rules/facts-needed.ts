import type { AccountId } from './cursor.ts'
import { accountKey, loaded, nextAwardedAt, orderKey, type UserDay, userDayKey } from './decide-batch.ts'
import type { Account, AwardCommand } from './entry.ts'
import { vietnamDay } from './vietnam-day.ts'

export type OrderId = { partnerId: string; orderId: string }
export type UserDayId = Omit<UserDay, 'points'>

/** Each fact once, by its key. */
type FactsNeeded = {
  accounts: Map<string, AccountId>
  orders: Map<string, OrderId>
  /** The day of an award depends on its account's last one, so this is asked when the accounts have been loaded. */
  userDays(accounts: ReadonlyMap<string, { account: Account }>, now: number): Map<string, UserDayId>
}

/**
 * Which facts the decisions of a batch use: a store loads exactly these. `decideBatch` finds out by itself what it uses
 * and fails where it was not loaded, so a loader and the rules cannot disagree in silence.
 */
export function factsNeeded(commands: AwardCommand[]): FactsNeeded {
  const accounts = new Map<string, AccountId>()
  const orders = new Map<string, OrderId>()
  for (const command of commands) {
    accounts.set(accountKey(command), command)
    orders.set(orderKey(command), command)
  }
  return {
    accounts,
    orders,
    userDays(accounts, now) {
      const userDays = new Map<string, UserDayId>()
      for (const command of commands) {
        const { tenantId, userEmail } = command
        const { account } = loaded(accounts.get(accountKey(command)), 'an account')
        const userDay = { tenantId, userEmail, day: awardDay(account, now) }
        userDays.set(userDayKey(userDay), userDay)
      }
      return userDays
    },
  }
}

/** The Vietnam day on which an account's next award counts. */
export function awardDay(account: Account, now: number): number {
  return vietnamDay(nextAwardedAt(account, now))
}
