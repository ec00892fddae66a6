import { awardLink, userLink } from './find-links.ts'

type Row = { kind: string; action: string; subject: string | null }
type About = { text: string; href: string | null }

/** Why something was denied, by the code that the access log has. */
const whyDenied: Record<string, string> = {
  NOT_PERMITTED: 'The role does not allow it',
  CSRF_REFUSED: 'The request did not come from the console',
}

const kinds: Record<string, string> = {
  order: 'an order ID',
  email: 'an address',
  id: 'a transaction ID',
  request: 'a request ID',
}

/** What a row of the access log is about, in words, and where that can be seen. */
export function accessed({ kind, action, subject }: Row): About {
  if (subject === null || subject === action) return { text: '–', href: null }
  if (kind === 'denied') return { text: whyDenied[subject] ?? subject, href: null }
  const [, searchedAs] = /^find as (.+)$/.exec(subject) ?? []
  if (searchedAs !== undefined) {
    const names = searchedAs.split(', ').map((one) => kinds[one] ?? one)
    return { text: `Searched as ${names.join(' and ')}`, href: null }
  }
  const [, epTransactionId] = /^award (\S+)$/.exec(subject) ?? []
  if (epTransactionId !== undefined) return { text: subject, href: awardLink({ epTransactionId }) }
  const [, ref, tenantId] = /^user (\S+) in (.+)$/s.exec(subject) ?? []
  if (ref === undefined || tenantId === undefined) return { text: subject, href: null }
  return { text: `A user in ${tenantId}`, href: userLink({ tenantId, ref }) }
}
