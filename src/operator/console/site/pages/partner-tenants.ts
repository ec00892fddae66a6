import type { PartnerDetails } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { mark, stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { table } from '../components/table.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'
import type { Action } from './partner-dialogs.ts'

/** Where it may credit EP. */
export function tenantsPanel(
  { partnerId, grants }: PartnerDetails,
  begin: ((action: Action) => void) | null,
) {
  return panel(
    { title: 'Tenants', columns: 12, id: 'tenants', side: 'where it may credit EP' },
    grants.length === 0
      ? empty({
          title: 'No tenants',
          text: 'The partner cannot credit anything until it may use one.',
          command: `partner-credit partner allow ${partnerId} --tenant t1`,
        })
      : table({
          caption: 'Tenants of the partner',
          columns: [
            { head: 'Tenant' },
            { head: 'Mode' },
            { head: 'perTx', isNumber: true },
            { head: 'perPartnerDay', isNumber: true },
            { head: 'perUserDay', isNumber: true },
            { head: 'Actions', isHeadHidden: true, isNumber: true },
          ],
          rows: grants.map(({ tenantId, mode, caps }) => ({
            key: tenantId,
            cells: [
              stored(tenantId),
              mode === 'live' ? mark('good', 'Live') : mark('inactive', 'Sandbox: awards do not count'),
              grouped(caps.perTx.limit),
              grouped(caps.perPartnerDay.limit),
              grouped(caps.perUserDay.limit),
              begin !== null &&
                html`<button type="button" class="sm" onClick=${() => begin({ kind: 'deny', tenantId })}>Withdraw</button>`,
            ],
          })),
        }),
    begin !== null &&
      html`<div class="body acts">
        <button type="button" class="sm" onClick=${() => begin({ kind: 'allow' })}>Allow another tenant</button>
      </div>`,
  )
}
