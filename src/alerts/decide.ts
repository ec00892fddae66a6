import { type Alert, identityOf, type OpenAlert } from './alert.ts'
import { findAlerts, isOfCap, isStillCrossed, type Seen } from './rules.ts'

/** A rule that has not held for so long has ended. Shorter, and a number that moves around a limit would be many alerts. */
const quietMs = 3_600_000

/** What begins, what of the open ones still holds, and what is over. */
type AlertDecision = { begin: Alert[]; holds: OpenAlert[]; over: OpenAlert[] }

export function decideAlerts(seen: Seen, open: OpenAlert[]): AlertDecision {
  const found = findAlerts(seen)
  const isOpen = new Set(open.map(identityOf))
  const isFound = new Set(found.map(identityOf))
  const isOver = (alert: OpenAlert) =>
    isOfCap(alert) ? !isStillCrossed(alert, seen) : seen.now - alert.heldAt > quietMs
  return {
    begin: found.filter((alert) => !isOpen.has(identityOf(alert))),
    holds: open.filter((alert) => isFound.has(identityOf(alert))),
    over: open.filter((alert) => !isFound.has(identityOf(alert)) && isOver(alert)),
  }
}
