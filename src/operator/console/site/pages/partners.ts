import { h } from 'preact'
import type { PartnerInList, PartnerList } from '../api-answers.ts'
import { damagedNote } from '../components/damaged-note.ts'
import { empty } from '../components/empty.ts'
import { filters, selectField, textField } from '../components/field.ts'
import { mark, stored } from '../components/mark.ts'
import { use } from '../components/meter.ts'
import { pageHead } from '../components/page-head.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole, useMay, useTitle, useUrl } from '../context.ts'
import { html } from '../html.ts'
import { useLoaded } from '../load.ts'
import { counted, grouped } from '../words/numbers.ts'
import { statusMark } from './partner-status.ts'
import { CreatePartner } from './partners-create.ts'
import { TenantsAndDefaults } from './partners-tenants.ts'

/** Which partner needs attention? */
export function PartnersPage() {
  useTitle('Partners')
  const { router } = useConsole()
  const { searchParams } = useUrl(router)
  const mayCreate = useMay('partners.write')
  const [q, status] = [searchParams.get('q') ?? '', searchParams.get('status') ?? '']
  const loaded = useLoaded('partners', allPartners, { everyMs: 15_000 })
  const show = (changes: Record<string, string | null>) =>
    router.navigate(router.withQuery(changes), { replace: true })
  const isCreating = searchParams.has('create')
  return html`
    ${pageHead({
      title: 'Partners',
      facts: 'Who may credit EP, how much of the daily caps is used, and who needs attention. Fullest first.',
      actions: mayCreate
        ? html`<button type="button" class="main" onClick=${() => router.navigate(router.withQuery({ create: '1' }))}>
            Create partner
          </button>`
        : undefined,
    })}
    ${filters(
      textField({
        label: 'Name or ID',
        id: 'partner-filter',
        value: q,
        onInput: (text) => show({ q: text }),
        attributes: { type: 'search' },
      }),
      selectField({
        label: 'Status',
        id: 'partner-status',
        value: status,
        onChange: (value) => show({ status: value }),
        options: [
          { value: '', name: 'All' },
          { value: 'active', name: 'Active' },
          { value: 'suspended', name: 'Suspended' },
        ],
      }),
    )}
    ${panel(
      { title: 'Partners' },
      whenLoaded(
        loaded,
        { what: 'The partners', lines: 8 },
        ({ items, damaged }) => html`
          ${damaged.map(({ partnerId, problem }) => damagedNote('partner', partnerId, problem))}
          ${(items.length > 0 || damaged.length === 0) && partnersTable(items, { q, status }, mayCreate)}
        `,
      ),
    )}
    ${h(TenantsAndDefaults, { mayChange: mayCreate })}
    ${isCreating && h(CreatePartner, { onEnd: () => router.navigate(router.withQuery({ create: null })), onCreated: loaded.reload })}
  `
}

/** All pages of the list: they are sorted by use, which the service does not do. */
async function allPartners(
  api: { get<T>(path: string, signal?: AbortSignal): Promise<T> },
  signal: AbortSignal,
) {
  const [items, damaged]: [PartnerInList[], PartnerList['damaged']] = [[], []]
  let cursor: string | null = null
  do {
    const page: PartnerList = await api.get(
      `/partners?limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      signal,
    )
    items.push(...page.items)
    damaged.push(...page.damaged)
    cursor = page.nextCursor
  } while (cursor !== null)
  return { items, damaged }
}

function partnersTable(all: PartnerInList[], filter: { q: string; status: string }, mayCreate: boolean) {
  if (all.length === 0) {
    return empty({
      title: 'No partners yet',
      text: 'A partner gets an API key, a signing secret and the tenants it may credit.',
      actions: mayCreate ? html`<a class="btn" href="/partners?create=1">Create partner</a>` : undefined,
      command: 'partner-credit partner create --id acme --name "Acme" --tenant t1',
    })
  }
  const shown = all.filter((partner) => isMeant(partner, filter)).sort((a, b) => useOf(b) - useOf(a))
  if (shown.length === 0) {
    return empty({
      title: 'No partner matches',
      text: `None of the ${counted(all.length, 'partner')} has this name and status.`,
      actions: html`<a class="btn" href="/partners">Show all partners</a>`,
    })
  }
  return table({
    caption: 'Partners',
    columns: [
      { head: 'Partner' },
      { head: 'Status' },
      { head: 'Highest use of a daily cap', isWide: true },
      { head: 'Awards today', isNumber: true },
      { head: 'EP today', isNumber: true },
      { head: 'Refused', isNumber: true },
      { head: 'Replays', isNumber: true },
      { head: 'Live keys', isNumber: true },
      { head: 'Last award' },
    ],
    rows: shown.map((partner) => ({ key: partner.partnerId, cells: cellsOf(partner) })),
  })
}

function cellsOf(partner: PartnerInList) {
  const { partnerId, name, grants, keys, today, highestUse, lastAwardAt } = partner
  const liveKeys = keys.filter(({ revokedAt }) => revokedAt === null).length
  return [
    html`<a href=${`/partners/${encodeURIComponent(partnerId)}`}>${stored(name)}</a>
      ${sub(stored(partnerId), ` · ${counted(grants.length, 'tenant')}`)}`,
    statusMark(partner.status),
    highestUse === null
      ? html`<span class="soft">No awards today</span>`
      : use({ used: highestUse.points, limit: highestUse.limit, note: stored(highestUse.tenantId) }),
    grouped(today.awards),
    grouped(today.points),
    grouped(today.refused),
    grouped(today.replays),
    liveKeys === 0 ? mark('attention', '0') : grouped(liveKeys),
    time(lastAwardAt),
  ]
}

function isMeant({ partnerId, name, status }: PartnerInList, filter: { q: string; status: string }): boolean {
  const text = filter.q.trim().toLowerCase()
  const isNamed = partnerId.toLowerCase().includes(text) || name.toLowerCase().includes(text)
  return isNamed && (filter.status === '' || filter.status === status)
}

function useOf({ highestUse }: PartnerInList): number {
  if (highestUse === null) return -1
  return highestUse.limit === 0 ? 1 : highestUse.points / highestUse.limit
}
