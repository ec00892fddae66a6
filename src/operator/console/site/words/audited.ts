import { grouped } from './numbers.ts'

type FieldChange = { field: string; before: unknown; after: unknown }
/** A value in words. A time is shown by the page, in Vietnam time. */
export type Said = (string | { at: number })[]
type ShownChange = { field: string; before: Said | null; after: Said }

/** Said by the subject and the time already. */
const implied = /^(partnerId|tenantId|operatorId|tokenId|createdAt|sessionsFrom|setAt)$/

/** What a change made different, in words. Of something new, only what it is now: `before` is null. */
export function shownChanges(changes: FieldChange[], isNew: boolean): ShownChange[] {
  return changes
    .filter(({ field }) => !isNew || !implied.test(field))
    .map(({ field, before, after }) => ({
      field,
      // A password is never shown: that it was set before says nothing.
      before: isNew || (field === 'password' && after === 'changed') ? null : saidOf(field, before),
      after: saidOf(field, after),
    }))
}

function saidOf(field: string, value: unknown): Said {
  // Of a cap, the value of the next level applied then: of the partner, the tenant or the service.
  if (value === null || value === undefined)
    return [/per(Tx|PartnerDay|UserDay)$/.test(field) ? 'not set' : 'none']
  if (typeof value === 'number')
    return [/(At|From)$/.test(field) && isDate(value) ? { at: value } : grouped(value)]
  if (Array.isArray(value)) return [value.map(String).join(', ') || 'none']
  if (typeof value !== 'object') return [String(value)]
  // A tenant or a key that was added or removed: its own values that say something.
  const members = Object.entries(value).filter(([name, member]) => member !== null && !implied.test(name))
  if (members.length === 0) return ['added']
  return members.flatMap(([name, member], index) => [
    `${index === 0 ? '' : ', '}${name} `,
    ...saidOf(name, member),
  ])
}

/** What somebody wrote into the database by SQL need not be one. */
function isDate(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime())
}

/** Who it was: `operator:mai` is mai. The command line, tokens and the service say what they are. */
export function actorName(actor: string): { name: string; kind: string | null } {
  const match = /^(operator|token|cli):(.+)$/s.exec(actor)
  if (match === null) return { name: actor, kind: null }
  const kinds: Record<string, string | null> = { operator: null, token: 'API token', cli: 'command line' }
  return { name: match[2]!, kind: kinds[match[1]!]! }
}
