import { builtInCaps, type Caps } from '../rules/caps.ts'
import { changeBy, type Operator } from './operator.ts'
import type { DefaultCaps } from './partner-store.ts'

/**
 * If a ledger has no default caps yet, its first server stores the ones it was started with. So a new ledger gets its own,
 * and a ledger from before defaults were in the database keeps the caps of its server's environment. Later servers use the
 * stored ones. Returns a warning for each cap that this server was started with and that is ignored.
 */
export async function seedDefaultCaps(operator: Operator, given: Partial<Caps>): Promise<string[]> {
  const { store, now } = operator
  const caps = await store.defaultCaps()
  if (caps.setAt !== null) return warningsOf(given, caps)
  try {
    await store.changeDefaultCaps(changeBy(operator, 'defaults seed'), (before) => {
      if (before.setAt !== null) throw new SetMeanwhile()
      return { ...builtInCaps, ...given, setAt: now }
    })
    return []
  } catch (error) {
    if (!(error instanceof SetMeanwhile)) throw error
    return warningsOf(given, await store.defaultCaps())
  }
}

/** Two servers started at once, and the other one stored its caps first. */
class SetMeanwhile extends Error {}

const settings = [
  { cap: 'perTx', setting: 'CAP_PER_TX', flag: '--per-tx' },
  { cap: 'perPartnerDay', setting: 'CAP_PER_PARTNER_DAY', flag: '--per-partner-day' },
  { cap: 'perUserDay', setting: 'CAP_PER_USER_DAY', flag: '--per-user-day' },
] as const

function warningsOf(given: Partial<Caps>, caps: DefaultCaps): string[] {
  return settings
    .filter(({ cap }) => given[cap] !== undefined && given[cap] !== caps[cap])
    .map(
      ({ cap, setting, flag }) =>
        `${setting}=${given[cap]} differs from the ledger's ${caps[cap]} and is ignored: partner-credit defaults caps ${flag} ${given[cap]} changes it`,
    )
}
