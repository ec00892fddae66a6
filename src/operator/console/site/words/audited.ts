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
  // Up to the last date there is: somebody may have written another number by SQL.
  if (typeof value === 'number')
    return [/(At|From)$/.test(field) && Math.abs(value) <= 8.64e15 ? { at: value } : grouped(value)]
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

/** Who it was: `operator:mai` is mai. The command line, tokens and the service say what they are. */
export function actorName(actor: string): { name: string; kind: string | null } {
  const [, kind, name = actor] = /^(operator|token|cli):(.+)$/s.exec(actor) ?? []
  const kinds: Record<string, string> = { token: 'API token', cli: 'command line' }
  return { name, kind: kinds[kind!] ?? null }
}
