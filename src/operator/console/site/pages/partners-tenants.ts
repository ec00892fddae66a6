import type { TenantInList } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { mark, stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { partnerLink } from '../components/partner-name.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { originText } from '../words/award-reasons.ts'
import { grouped } from '../words/numbers.ts'

/** Where EP are credited, and how much one user can get there per day from all partners. */
export function TenantsPanel() {
  const loaded = useGet<{ items: TenantInList[] }>('/tenants?limit=200')
  return panel(
    { title: 'Tenants', side: 'perUserDay counts the awards of all partners' },
    whenLoaded(loaded, { what: 'The tenants' }, ({ items }) =>
      items.length === 0
        ? empty({
            title: 'No tenants yet',
            text: 'A tenant is created with the first partner that may use it.',
            command: 'partner-credit partner create --id acme --name "Acme" --tenant t1',
          })
        : table({
            caption: 'Tenants',
            columns: [
              { head: 'Tenant' },
              { head: 'Mode' },
              { head: 'perUserDay', isNumber: true },
              { head: 'Origin' },
              { head: 'Partners' },
            ],
            rows: items.map(({ tenantId, mode, inForce, partners }) => ({
              key: tenantId,
              cells: [
                stored(tenantId),
                mode === 'live' ? mark('good', 'Live') : mark('inactive', 'Sandbox: awards do not count'),
                `${grouped(inForce.limit)} EP`,
                originText(inForce.from, tenantId),
                partnerLinks(partners),
              ],
            })),
          }),
    ),
  )
}

const linksMax = 5

function partnerLinks(partners: string[]) {
  const links = partners.slice(0, linksMax).map((id, index) => html`${index > 0 && ', '}${partnerLink(id)}`)
  return html`${links}${partners.length > linksMax && sub(`and ${partners.length - linksMax} more`)}`
}
