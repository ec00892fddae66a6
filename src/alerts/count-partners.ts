import type { Counts, PartnerSeen } from './rules.ts'

/** A sum of the journal's counts. `recent`: of the recent minutes, otherwise of the hour before. */
export type CountRow = {
  partnerId: string
  tenantId: string
  code: string
  detail: string
  recent: boolean
  responses: number
}

/** Requests whose partner is not known. */
const nobody = ['(unknown)', '(others)']
/** Replays by their age, as the journal names it, for which no client can have waited. */
const soon = ['within 1 s', 'within 10 s']

/** Adds up what each partner did in tenants that count. */
export function countPartners(rows: CountRow[], sandboxTenants: ReadonlySet<string>): PartnerSeen[] {
  const partners = new Map<string, PartnerSeen>()
  for (const { partnerId, tenantId, code, detail, recent, responses } of rows) {
    if (sandboxTenants.has(tenantId) || nobody.includes(partnerId)) continue
    let partner = partners.get(partnerId)
    if (partner === undefined) {
      partner = { partnerId, recent: noCounts(), before: noCounts() }
      partners.set(partnerId, partner)
    }
    add(recent ? partner.recent : partner.before, code, detail, responses)
  }
  return [...partners.values()]
}

function add(counts: Counts, code: string, detail: string, responses: number): void {
  counts.responses += responses
  if (code === 'CREDITED') counts.credited += responses
  else if (code === 'DUPLICATE') counts.soonReplays += soon.includes(detail) ? responses : 0
  else if (code !== 'PAGE') counts.failures += responses
  if (code === 'INVALID_SIGNATURE') counts.wrongSignatures += responses
  if (detail === 'perUserDay') counts.perUserDay += responses
}

function noCounts(): Counts {
  return { responses: 0, credited: 0, failures: 0, wrongSignatures: 0, soonReplays: 0, perUserDay: 0 }
}
