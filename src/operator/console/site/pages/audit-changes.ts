import { parseDay, vietnamDayStart } from '../../../../rules/vietnam-day.ts'
import type { AuditTrail } from '../api-answers.ts'
import { auditLink } from '../components/audit-link.ts'
import { downloadButton } from '../components/download.ts'
import { empty } from '../components/empty.ts'
import { choiceField, filters, textField } from '../components/field.ts'
import { mark, stored } from '../components/mark.ts'
import { pageHead } from '../components/page-head.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole } from '../context.ts'
import { type Content, html } from '../html.ts'
import { olderButton, usePages } from '../load-pages.ts'
import { useNames } from '../names.ts'
import { actorName } from '../words/audited.ts'
import { changedFields } from './changed-fields.ts'
import { counted } from '../words/numbers.ts'

/** The audit trail: who changed which setting. */
export function ChangesView({ query, kinds }: { query: URLSearchParams; kinds: Content }) {
  const { router } = useConsole()
  const path = trailPath(query)
  const pages = usePages<AuditTrail>(path)
  const changes = pages.all.flatMap((page) => page.changes)
  const { partners, tenants } = useNames()
  const change = query.get('change')
  const filter = (name: string) => (value: string) =>
    router.navigate(router.withQuery({ [name]: value, change: null }), { replace: true })
  return html`
    ${pageHead({
      title: 'Audit',
      facts: 'Who changed what, when and why. Nothing in the console can edit or delete a row.',
      actions: downloadButton({ path, type: 'text/csv', file: 'audit.csv', label: 'Download CSV' }),
    })}
    ${filters(
      kinds !== null && html`<div>${kinds}</div>`,
      choiceField({
        id: 'audit-partner',
        label: 'Partner',
        value: query.get('partner') ?? '',
        onChange: filter('partner'),
        list: partners.map(({ partnerId, name }) => ({ value: partnerId, name })),
      }),
      choiceField({
        id: 'audit-tenant',
        label: 'Tenant',
        value: query.get('tenant') ?? '',
        onChange: filter('tenant'),
        list: tenants.map(({ tenantId }) => ({ value: tenantId, name: tenantId })),
      }),
      textField({
        id: 'audit-since',
        label: 'Since',
        value: query.get('since') ?? '',
        onInput: filter('since'),
        attributes: { type: 'date' },
      }),
    )}
    ${panel(
      {
        title: change === null ? 'Changes' : `Changes up to number ${change}`,
        side:
          change !== null
            ? html`<a href=${router.withQuery({ change: null })}>Show the newest</a>`
            : pages.first.data === null
              ? ''
              : counted(changes.length + olderCount(pages.all), 'row'),
        ...(pages.cursor === null ? {} : { footer: olderButton(pages, 'Load older rows') }),
      },
      pages.first.problem?.status === 404
        ? unknownName(pages.first.problem.message)
        : whenLoaded(pages.first, { what: 'The audit trail', lines: 8 }, () =>
            changes.length === 0
              ? empty({
                  title: 'No changes',
                  text: 'Nothing was changed in this selection. Remove a filter to see more.',
                  actions: html`<a class="btn" href="/audit">Remove the filters</a>`,
                })
              : changesTable(changes, query.get('change')),
          ),
    )}
  `
}

function trailPath(query: URLSearchParams): string {
  const since = parseDay(query.get('since') ?? '')
  const parameters = new URLSearchParams()
  if (query.get('partner')) parameters.set('partnerId', query.get('partner')!)
  if (query.get('tenant')) parameters.set('tenantId', query.get('tenant')!)
  if (/^\d{1,15}$/.test(query.get('change') ?? '')) parameters.set('upTo', query.get('change')!)
  if (since !== null) parameters.set('since', new Date(vietnamDayStart(since)).toISOString())
  return `/audit?${parameters}`
}

/** Only a link can name one that does not exist. The service names the nearest. */
function unknownName(message: string) {
  return empty({
    title: 'There is nothing of that name',
    text: html`<bdi>${message.charAt(0).toUpperCase()}${message.slice(1)}</bdi>`,
    actions: html`<a class="btn" href="/audit">Remove the filters</a>`,
  })
}

function olderCount(pages: AuditTrail[]): number {
  return pages.at(-1)?.older ?? 0
}

function changesTable(changes: AuditTrail['changes'], named: string | null) {
  return table({
    caption: 'Changes of settings',
    columns: [
      { head: 'No.', isPlain: true },
      { head: 'Time', keepsLine: true },
      { head: 'Operator' },
      { head: 'Action' },
      { head: 'Subject' },
      { head: 'Before and after' },
      { head: 'Reason' },
    ],
    rows: changes.map((change) => {
      const key = String(change.auditSeq)
      return { key, cells: cellsOf(change), isMarked: key === named }
    }),
  })
}

function cellsOf(change: AuditTrail['changes'][number]): Content[] {
  const { auditSeq, at, actor, origin, address, action, subject, reason, hashMatches } = change
  const { name, kind } = actorName(actor)
  return [
    auditLink(auditSeq),
    time(at),
    html`${stored(name)}${kind !== null && ` (${kind})`}${sub(address === null ? origin : stored(address))}`,
    stored(action),
    stored(subject),
    html`${changedFields(change)}${!hashMatches && mark('bad', 'The hash does not match: the row was changed. Run verify')}`,
    reason === null ? '–' : stored(reason),
  ]
}
