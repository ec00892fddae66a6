type Award = { epTransactionId: string; tenantId: string; userRef: string | null; foundAs: string[] }
type RefusalPlace = { requestId: string; partnerId: string; at: string }
type Refused = RefusalPlace & { foundAs: string[] }

/**
 * Where a search is shown. What may be an address is not part of the URL, which would be in the browser's history, in
 * links and in logs: it is handed over beside it.
 */
export function findPlace(entered: string): { to: string; typed: string | null } {
  const text = entered.trim()
  if (text.includes('@')) return { to: '/find', typed: text }
  return { to: `/find?q=${encodeURIComponent(text)}`, typed: null }
}

export function awardLink({ epTransactionId }: { epTransactionId: string }): string {
  return `/awards/${encodeURIComponent(epTransactionId)}`
}

/** The journal does not have the order: it is handed over, unless it could be an address. */
export function refusalLink({ requestId, partnerId, at }: RefusalPlace, orderId: string | null): string {
  const order = orderId === null || orderId.includes('@') ? [] : [['order', orderId]]
  return `/refusals/${encodeURIComponent(requestId)}?${new URLSearchParams([['partner', partnerId], ['at', at], ...order])}`
}

/** In the API. Without the partner and the time, which an older link does not have, it is the newest of this request. */
export function refusalPath(
  { requestId, partnerId, at }: { requestId: string; partnerId: string | null; at: string | null },
  end = '',
): string {
  const place = Object.entries({ partnerId, at }).filter((one): one is [string, string] => one[1] !== null)
  return `/refusals/${encodeURIComponent(requestId)}${end}?${new URLSearchParams(place)}`
}

export function userLink({ tenantId, ref }: { tenantId: string; ref: string }): string {
  return `/users/${encodeURIComponent(tenantId)}?ref=${encodeURIComponent(ref)}`
}

const kindNames = {
  order: 'an order ID (exactly as sent)',
  email: 'an address',
  id: 'a transaction ID',
  request: 'a request ID',
}

/** What was looked for. */
export function searchedText(kinds: (keyof typeof kindNames)[]): string {
  const names = kinds.map((kind) => `as ${kindNames[kind]}`)
  return `Searched ${[names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')}.`
}

type Found = { text: string; credited: Award[]; refused: Refused[] }

/** The page of the only result; null if there are none or several. All awards of one user are one result: that user. */
export function onlyResult({ text, credited, refused }: Found): string | null {
  const users = usersOf(credited)
  const others = credited.filter(({ foundAs, userRef }) => userRef === null || !foundAs.includes('email'))
  const links = [
    ...users.map(userLink),
    ...others.map(awardLink),
    ...refused.map((refusal) => refusalLink(refusal, refusal.foundAs.includes('order') ? text : null)),
  ]
  return links.length === 1 ? links[0]! : null
}

/** The users whose address was searched for: one in each tenant. */
export function usersOf(credited: Award[]): { tenantId: string; ref: string }[] {
  const byTenant = new Map<string, string>()
  for (const { tenantId, userRef, foundAs } of credited)
    if (userRef !== null && foundAs.includes('email')) byTenant.set(tenantId, userRef)
  return [...byTenant].map(([tenantId, ref]) => ({ tenantId, ref }))
}
