import type { PartnerDetails, PartnerUsage } from '../api-answers.ts'
import { rows } from '../components/figures.ts'
import { stored } from '../components/mark.ts'
import { levelOf, use } from '../components/meter.ts'
import { note } from '../components/note.ts'
import { body, panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import type { Loaded } from '../load.ts'
import { counted, grouped } from '../words/numbers.ts'
import { refusalsLink } from '../words/refusals-query.ts'

/** Today's use against the cap, tenant by tenant, and what became of its requests. */
export function todayPanel(partner: PartnerDetails, loaded: Loaded<PartnerUsage>) {
  const { today, lastAwardAt, requestsPerSecond, keys } = partner
  const lastUsed = keys
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .sort()
    .at(-1)
  const share =
    today.awards + today.refused === 0 ? 0 : (today.refused / (today.awards + today.refused)) * 100
  return panel(
    { title: 'Today', columns: 5, id: 'today', side: 'use of perPartnerDay' },
    body(
      whenLoaded(loaded, { what: "Today's use", lines: 3 }, ({ accounts }) =>
        accounts.length === 0
          ? html`<p class="soft">
              It has no tenants, so it cannot credit anything. Allow one under <a href="#tenants">Tenants</a>.
            </p>`
          : accounts.map((account) => accountUse(account)),
      ),
      rows([
        ['Awards', html`${grouped(today.awards)} <span class="soft">· ${grouped(today.points)} EP</span>`],
        [
          'Refused',
          html`${refusedCount(partner, loaded.data)} <span class="soft">· ${share.toFixed(1)}% of requests</span>`,
        ],
        ['Replays', html`${grouped(today.replays)} <span class="soft">· never credited twice</span>`],
        ['Last award', time(lastAwardAt)],
        ['Last request', time(lastUsed)],
        [
          'Requests per second',
          requestsPerSecond === null ? 'No limit' : `At most ${grouped(requestsPerSecond)} on each node`,
        ],
      ]),
    ),
  )
}

/** Leads to what was refused. */
function refusedCount({ partnerId, today }: PartnerDetails, usage: PartnerUsage | null) {
  if (usage === null || today.refused === 0) return grouped(today.refused)
  const link = refusalsLink({ partner: partnerId, since: usage.day, until: usage.day })
  return html`<a href=${link}>${grouped(today.refused)}</a>`
}

/** What to know first: a daily cap that refuses what does not fit, how much does, and until when. */
export function fullNote(account: Account, endsAt: string, mayChange: boolean) {
  const { tenantId, sandbox, points, perPartnerDay } = account
  const { limit } = perPartnerDay
  if (sandbox || levelOf(points, limit) !== 'bad') return null
  const left = html`${grouped(Math.max(0, limit - points))} of ${grouped(limit)} EP are left until ${time(endsAt)}.`
  return note(
    { kind: 'error', title: html`The daily cap in ${stored(tenantId)} refuses awards that do not fit.` },
    html`${left} ${mayChange ? html`<a href="#change-caps">Change the cap</a> or wait for the reset.` : 'Then it is reset.'}`,
  )
}

type Account = PartnerUsage['accounts'][number]

function accountUse({ tenantId, sandbox, points, awards, perPartnerDay }: Account) {
  const { limit } = perPartnerDay
  const left = `${grouped(Math.max(0, limit - points))} EP left · ${counted(awards, 'award')}`
  return html`<div class="spaced" key=${tenantId}>
    ${use({
      used: points,
      limit,
      note: html`${stored(tenantId)}${sandbox && ', sandbox'} · ${left}
        ${levelOf(points, limit) === 'bad' && html` · <span class="wrong">refuses awards that do not fit</span>`}`,
    })}
  </div>`
}
