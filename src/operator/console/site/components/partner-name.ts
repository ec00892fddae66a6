import { h } from 'preact'
import { html } from '../html.ts'
import { useNames } from '../names.ts'

/** A partner by its name, with its ID on hover; by its ID as long as the name is not known. */
export function partnerName(partnerId: string) {
  return h(PartnerName, { partnerId })
}

/** The same as a link to the partner's page, or to a panel of it. Requests without a known key are nobody's. */
export function partnerLink(partnerId: string, place = '') {
  if (partnerId.startsWith('(')) return partnerName(partnerId)
  return html`<a href=${`/partners/${encodeURIComponent(partnerId)}${place}`}>${partnerName(partnerId)}</a>`
}

/** What the journal writes instead of an ID. */
const nobody: Record<string, string> = { '(unknown)': 'No known key', '(others)': 'Others' }

function PartnerName({ partnerId }: { partnerId: string }) {
  const name = useNames().nameOf(partnerId) ?? nobody[partnerId] ?? partnerId
  return html`<bdi title=${partnerId}>${name}</bdi>`
}
