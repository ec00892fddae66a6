import { dayText, parseDay, vietnamDay } from '../../../../rules/vietnam-day.ts'

/** The filters of the page of refusals, by their names in its URL. Absent or '': no filter. */
type Filters = {
  partner?: string
  tenant?: string
  code?: string
  /** A day, a time, or a duration before now. The last 24 hours if absent. */
  since?: string
  until?: string
  /** '1': history requests and sandbox tenants, too. */
  all?: string
}

export function refusalsLink(filters: Filters): string {
  return `/refusals?${new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))}`
}

/** The same as a question to the API. Figures of the console are about awards in live tenants, unless it says otherwise. */
export function refusalsPath(query: URLSearchParams): string {
  const parameters = new URLSearchParams(query.get('all') ? {} : { endpoint: 'award', sandbox: 'false' })
  for (const [filter, parameter] of Object.entries(parameterOf))
    if (query.get(filter)) parameters.set(parameter, query.get(filter)!)
  return `/refusals?${parameters}`
}

const parameterOf = { partner: 'partnerId', tenant: 'tenantId', code: 'code', since: 'since', until: 'until' }

type Period = { name: string; since: string | null; until: string | null }

/** Days are named by their date: a link shows a colleague the same, also tomorrow. */
export function periodsAt(now: number): Period[] {
  const today = vietnamDay(now)
  const day = (name: string, text: string) => ({ name, since: text, until: text })
  return [
    { name: '24 hours', since: null, until: null },
    day('Today', dayText(today)),
    day('Yesterday', dayText(today - 1)),
    { name: '7 days', since: '7d', until: null },
    { name: '30 days', since: '30d', until: null },
  ]
}

/** For a date field: the Vietnam day of a filter; '' if it names none. */
export function dayOfFilter(text: string | null): string {
  if (text === null || parseDay(text) !== null) return text ?? ''
  const time = Date.parse(text)
  return Number.isNaN(time) ? '' : dayText(vietnamDay(time))
}
