import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { DefaultCaps, TenantInList, TenantList } from '../api-answers.ts'
import { damagedNote } from '../components/damaged-note.ts'
import { empty } from '../components/empty.ts'
import { mark, stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { partnerLink } from '../components/partner-name.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { originText } from '../words/award-reasons.ts'
import { grouped } from '../words/numbers.ts'
import { DefaultCapsDialog, defaultMeanings, defaultNames, TenantCapDialog } from './partners-caps-dialogs.ts'

type Begin = (what: TenantInList | 'defaults') => void

/** Where EP are credited, how much one user can get there per day from all partners, and the default caps. */
export function TenantsAndDefaults({ mayChange }: { mayChange: boolean }) {
  const { tell } = useConsole()
  const tenants = useGet<TenantList>('/tenants?limit=200')
  const defaults = useGet<DefaultCaps>('/defaults/caps')
  const [changing, setChanging] = useState<TenantInList | 'defaults' | null>(null)
  const begin = mayChange ? setChanging : null
  const dialog = {
    onClose: () => setChanging(null),
    onDone(result: string) {
      setChanging(null)
      tenants.reload()
      defaults.reload()
      tell(`${result} It is in the audit, with your name and reason.`)
    },
  }
  return html`
    ${panel(
      { title: 'Tenants', side: 'perUserDay counts the awards of all partners' },
      whenLoaded(
        tenants,
        { what: 'The tenants' },
        ({ items, damaged }) => html`
          ${damaged.map(({ tenantId, problem }) => damagedNote('tenant', tenantId, problem))}
          ${(items.length > 0 || damaged.length === 0) && tenantsTable(items, begin)}
        `,
      ),
    )}
    ${panel(
      { title: 'Default caps', side: 'where no cap is set for a partner or a tenant' },
      whenLoaded(defaults, { what: 'The default caps', lines: 3 }, (caps) => defaultsTable(caps, begin)),
    )}
    ${
      changing !== null &&
      defaults.data !== null &&
      (changing === 'defaults'
        ? h(DefaultCapsDialog, { ...dialog, defaults: defaults.data })
        : h(TenantCapDialog, { ...dialog, tenant: changing, byDefault: defaults.data.perUserDay }))
    }
  `
}

function tenantsTable(items: TenantInList[], begin: Begin | null) {
  if (items.length === 0)
    return empty({
      title: 'No tenants yet',
      text: 'A tenant is created with the first partner that may use it.',
      command: 'partner-credit partner create --id acme --name "Acme" --tenant t1',
    })
  return table({
    caption: 'Tenants',
    columns: [
      { head: 'Tenant' },
      { head: 'Mode' },
      { head: 'perUserDay', isNumber: true },
      { head: 'Origin' },
      { head: 'Partners' },
      { head: 'Actions', isHeadHidden: true, isNumber: true },
    ],
    rows: items.map((tenant) => ({ key: tenant.tenantId, cells: cellsOf(tenant, begin) })),
  })
}

function cellsOf(tenant: TenantInList, begin: Begin | null) {
  const { tenantId, mode, inForce, partners } = tenant
  return [
    stored(tenantId),
    mode === 'live' ? mark('good', 'Live') : mark('inactive', 'Sandbox: awards do not count'),
    `${grouped(inForce.limit)} EP`,
    originText(inForce.from, tenantId),
    partnerLinks(partners),
    begin !== null &&
      html`<button type="button" class="sm" onClick=${() => begin(tenant)}>
        Change perUserDay <span class="vh">in ${tenantId}</span>
      </button>`,
  ]
}

const linksMax = 5

function partnerLinks(partners: string[]) {
  const links = partners.slice(0, linksMax).map((id, index) => html`${index > 0 && ', '}${partnerLink(id)}`)
  return html`${links}${partners.length > linksMax && sub(`and ${partners.length - linksMax} more`)}`
}

function defaultsTable(caps: DefaultCaps, begin: Begin | null) {
  return html`
    ${table({
      caption: 'Default caps',
      columns: [{ head: 'Cap' }, { head: 'Value', isNumber: true }, { head: 'Set' }],
      rows: defaultNames.map((name) => ({
        key: name,
        cells: [
          html`${name}${sub(defaultMeanings[name])}`,
          `${grouped(caps[name])} EP`,
          caps.setAt === null ? 'Built in' : time(caps.setAt),
        ],
      })),
    })}
    ${
      begin !== null &&
      html`<div class="body acts">
        <button type="button" class="sm" onClick=${() => begin('defaults')}>Change default caps</button>
      </div>`
    }
  `
}
