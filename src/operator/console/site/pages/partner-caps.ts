import type { GrantWithCaps, PartnerDetails, SetCap } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { actorName } from '../words/audited.ts'
import { originText } from '../words/award-reasons.ts'
import { grouped } from '../words/numbers.ts'

const names = ['perTx', 'perPartnerDay', 'perUserDay'] as const
type CapName = (typeof names)[number]

const meanings: Record<CapName, string> = {
  perTx: 'one award',
  perPartnerDay: 'one day, this partner',
  perUserDay: 'one day, one user, all partners',
}

/** The caps that decide now, where each was set, by whom and why, and what would apply without it. */
export function capsPanel(partner: PartnerDetails) {
  return panel(
    {
      title: 'Caps in force',
      columns: 7,
      id: 'caps',
      side: 'what is set for the partner comes before the default',
    },
    partner.grants.length === 0
      ? empty({
          title: 'No tenants',
          text: 'Caps apply in a tenant, and this partner may use none.',
          actions: html`<a class="btn" href="#tenants">Allow a tenant</a>`,
        })
      : table({
          caption: 'Caps in force',
          columns: [
            { head: 'Cap' },
            { head: 'Tenant', keepsLine: true },
            { head: 'Value', isNumber: true, keepsLine: true },
            { head: 'Origin' },
          ],
          rows: partner.grants.flatMap((grant) =>
            names.map((name) => ({
              key: `${grant.tenantId} ${name}`,
              cells: [
                html`${name}${sub(meanings[name])}`,
                stored(grant.tenantId),
                `${grouped(grant.caps[name].limit)} EP`,
                originCell(partner, grant, name),
              ],
            })),
          ),
        }),
  )
}

function originCell(partner: PartnerDetails, grant: GrantWithCaps, name: CapName) {
  const { from, change } = grant.caps[name]
  const wider = without(partner, name, from)
  return html`<span class="block">
    ${originText(from, grant.tenantId)}
    ${change !== null && sub(changeText(change))}
    ${wider !== null && sub(`Without it: ${wider}`)}
  </span>`
}

function changeText({ actor, at, reason }: NonNullable<SetCap['change']>) {
  return html`${stored(actorName(actor).name)}, ${time(at)}${reason !== null && html`: “${stored(reason)}”`}`
}

/** What would decide if the cap were not set where it is; null: there is nothing wider. */
function without(partner: PartnerDetails, name: CapName, from: SetCap['from']): string | null {
  const own = name === 'perUserDay' ? null : partner[name]
  if (from === 'partner in tenant' && own !== null) return `${grouped(own)} EP, set for the partner`
  return from === 'default' ? null : `service default, ${grouped(partner.defaults[name])} EP`
}
