import { grouped } from './numbers.ts'
import { utcTime } from './times.ts'

type FieldChange = { field: string; before: unknown; after: unknown }
type ShownChange = { field: string; before: string | null; after: string }

/** Said by the subject and the time already. */
const implied = /^(partnerId|tenantId|operatorId|tokenId|createdAt|sessionsFrom|setAt)$/

/** What a change made different, in words. Of something new, only what it is now: `before` is null. */
export function shownChanges(changes: FieldChange[], isNew: boolean): ShownChange[] {
  return changes
    .filter(({ field }) => !isNew || !implied.test(field))
    .map(({ field, before, after }) => ({
      field,
      before: isNew ? null : valueText(field, before),
      after: valueText(field, after),
    }))
}

function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined)
    return /per(Tx|PartnerDay|UserDay)$/.test(field) ? 'default' : 'none'
  if (typeof value === 'number') return /(At|From)$/.test(field) ? utcTime(value) : grouped(value)
  if (Array.isArray(value)) return value.map(String).join(', ') || 'none'
  if (typeof value !== 'object') return String(value)
  // A tenant or a key that was added or removed: its own values that say something.
  const members = Object.entries(value).filter(([name, member]) => member !== null && !implied.test(name))
  return members.map(([name, member]) => `${name} ${valueText(name, member)}`).join(', ') || 'added'
}

/** Who it was: `operator:mai` is mai. The command line, tokens and the service say what they are. */
export function actorName(actor: string): { name: string; kind: string | null } {
  const match = /^(operator|token|cli):(.+)$/s.exec(actor)
  if (match === null) return { name: actor, kind: null }
  const kinds: Record<string, string | null> = { operator: null, token: 'API token', cli: 'command line' }
  return { name: match[2]!, kind: kinds[match[1]!]! }
}
