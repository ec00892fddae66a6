import { parseDay, vietnamDayStart } from '../../../../rules/vietnam-day.ts'
import type { AuditTrail } from '../api-answers.ts'
import { downloadButton } from '../components/download.ts'
import { empty } from '../components/empty.ts'
import { filters, textField } from '../components/field.ts'
import { mark, stored } from '../components/mark.ts'
import { pageHead } from '../components/page-head.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole } from '../context.ts'
import { type Content, html } from '../html.ts'
import { olderButton, usePages } from '../load-pages.ts'
import { actorName, shownChanges } from '../words/audited.ts'
import { counted } from '../words/numbers.ts'

/** The audit trail: who changed which setting. */
export function ChangesView({ query, kinds }: { query: URLSearchParams; kinds: Content }) {
  const { router } = useConsole()
  const path = trailPath(query)
  const pages = usePages<AuditTrail>(path)
  const changes = pages.all.flatMap((page) => page.changes)
  const filter = (name: string) => (value: string) =>
    router.navigate(router.withQuery({ [name]: value.trim() }), { replace: true })
  return html`
    ${pageHead({
      title: 'Audit',
      facts: 'Who changed what, when and why. Nothing in the console can edit or delete a row.',
      actions: downloadButton({ path, type: 'text/csv', file: 'audit.csv', label: 'Download CSV' }),
    })}
    ${filters(
      kinds !== null && html`<div>${kinds}</div>`,
      textField({
        id: 'audit-partner',
        label: 'Partner ID',
        value: query.get('partner') ?? '',
        onInput: filter('partner'),
      }),
      textField({
        id: 'audit-tenant',
        label: 'Tenant ID',
        value: query.get('tenant') ?? '',
        onInput: filter('tenant'),
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
        title: 'Changes',
        side: pages.first.data === null ? '' : counted(changes.length + olderCount(pages.all), 'row'),
        ...(pages.cursor === null ? {} : { footer: olderButton(pages, 'Load older rows') }),
      },
      whenLoaded(pages.first, { what: 'The audit trail', lines: 8 }, () =>
        changes.length === 0
          ? empty({
              title: 'No changes',
              text: 'Nothing was changed in this selection. Remove a filter to see more.',
              actions: html`<a class="btn" href="/audit">Remove the filters</a>`,
            })
          : changesTable(changes),
      ),
    )}
  `
}

function trailPath(query: URLSearchParams): string {
  const since = parseDay(query.get('since') ?? '')
  const parameters = new URLSearchParams()
  if (query.get('partner')) parameters.set('partnerId', query.get('partner')!)
  if (query.get('tenant')) parameters.set('tenantId', query.get('tenant')!)
  if (since !== null) parameters.set('since', new Date(vietnamDayStart(since)).toISOString())
  return `/audit?${parameters}`
}

function olderCount(pages: AuditTrail[]): number {
  return pages.at(-1)?.older ?? 0
}

function changesTable(changes: AuditTrail['changes']) {
  return table({
    caption: 'Changes of settings',
    columns: [
      { head: 'Time', keepsLine: true },
      { head: 'Operator' },
      { head: 'Action' },
      { head: 'Subject' },
      { head: 'Before and after' },
      { head: 'Reason' },
    ],
    rows: changes.map((change) => ({ key: String(change.auditSeq), cells: cellsOf(change) })),
  })
}

function cellsOf(change: AuditTrail['changes'][number]): Content[] {
  const { at, actor, origin, address, action, subject, reason, hashMatches } = change
  const { name, kind } = actorName(actor)
  return [
    time(at),
    html`${stored(name)}${kind !== null && ` (${kind})`}${sub(address === null ? origin : stored(address))}`,
    stored(action),
    stored(subject),
    html`${shownChanges(change.changes, change.before === null).map(
      ({ field, before, after }) => html`<span class="change" key=${field}>
        <bdi>${field}</bdi> ${before !== null && html`<bdi class="before">${before}</bdi><span class="arrow">→</span>`}<bdi>${after}</bdi>
      </span>`,
    )}${!hashMatches && mark('bad', 'The hash does not match: the row was changed. Run verify')}`,
    reason === null ? '–' : stored(reason),
  ]
}
