import type { Overview } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { stored } from '../components/mark.ts'
import { levelOf, use } from '../components/meter.ts'
import { panel } from '../components/panel.ts'
import { partnerLink } from '../components/partner-name.ts'
import { sub, table } from '../components/table.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'

const shownMax = 8

/** Who is close to a cap: the accounts that have used most of perPartnerDay today. */
export function nearCapsPanel({ accounts, ledger }: Overview) {
  return panel(
    { title: 'Nearest their daily cap', columns: 7, side: html`<a href="/partners">All partners</a>` },
    accounts.length === 0
      ? empty(
          ledger.partners === 0
            ? {
                title: 'No partners yet',
                text: 'A partner gets an API key, a signing secret and the tenants it may credit.',
                actions: html`<a class="btn" href="/partners?create=1">Create partner</a>`,
                command: 'partner-credit partner create --id acme --name "Acme" --tenant t1',
              }
            : {
                title: 'No awards yet today',
                text: 'The daily counters were reset at midnight in Vietnam.',
                actions: html`<a class="btn" href="/partners">See all partners</a>`,
              },
        )
      : table({
          caption: 'Partners nearest their daily cap',
          columns: [
            { head: 'Partner and tenant' },
            { head: 'EP used today', isWide: true },
            { head: 'EP left', isNumber: true },
            { head: 'Awards', isNumber: true },
          ],
          rows: accounts.slice(0, shownMax).map((account) => {
            const { partnerId, tenantId, awards, points, perPartnerDay } = account
            const { limit } = perPartnerDay
            const isFull = levelOf(points, limit) === 'bad'
            return {
              key: `${partnerId} ${tenantId}`,
              cells: [
                html`${partnerLink(partnerId, '#caps')}${sub(stored(tenantId))}`,
                use({
                  used: points,
                  limit,
                  ...(isFull
                    ? { note: html`<span class="wrong">refuses awards that do not fit</span>` }
                    : {}),
                }),
                grouped(Math.max(0, limit - points)),
                grouped(awards),
              ],
            }
          }),
        }),
  )
}
