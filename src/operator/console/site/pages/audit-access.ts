import type { AccessLog, OperatorList } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { choiceField, filters, selectField } from '../components/field.ts'
import { mark, stored } from '../components/mark.ts'
import { pageHead } from '../components/page-head.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole, useMay } from '../context.ts'
import { type Content, html } from '../html.ts'
import { useGet } from '../load.ts'
import { olderButton, usePages } from '../load-pages.ts'
import { accessed } from '../words/accessed.ts'
import { actorName } from '../words/audited.ts'

const kindNames: Record<AccessLog['items'][number]['kind'], Content> = {
  read: mark('good', 'Read personal data'),
  denied: mark('bad', 'Denied'),
  'sign-in': mark('good', 'Signed in'),
  'sign-in failed': mark('attention', 'Failed sign-in'),
}

/** The access log: who read a person's data, and what was denied. It is kept for a limited time. */
export function AccessLogView({ query, kinds }: { query: URLSearchParams; kinds: Content }) {
  const { router } = useConsole()
  const parameters = new URLSearchParams()
  if (query.get('only')) parameters.set('kind', query.get('only')!)
  if (query.get('actor')) parameters.set('actor', query.get('actor')!)
  const known = useGet<OperatorList>(useMay('operators.read') ? '/operators' : null)
  const pages = usePages<AccessLog>(`/access-log?${parameters}`)
  const records = pages.all.flatMap(({ items }) => items)
  return html`
    ${pageHead({ title: 'Audit', facts: "Who signed in, read a person's data or was denied something. Kept for a limited time." })}
    ${filters(
      html`<div>${kinds}</div>`,
      selectField({
        id: 'access-only',
        label: 'Show',
        value: query.get('only') ?? '',
        onChange: (value) => router.navigate(router.withQuery({ only: value })),
        options: [
          { value: '', name: 'Everything' },
          { value: 'read', name: 'Reads of personal data' },
          { value: 'denied', name: 'Denied' },
          { value: 'sign-in', name: 'Sign-ins' },
          { value: 'sign-in failed', name: 'Failed sign-ins' },
        ],
      }),
      choiceField({
        id: 'access-actor',
        label: 'Operator',
        value: query.get('actor') ?? '',
        onChange: (value) => router.navigate(router.withQuery({ actor: value })),
        list:
          known.data?.operators.map(({ operatorId: name }) => ({ value: `operator:${name}`, name })) ?? [],
        all: 'Everybody',
      }),
    )}
    ${panel(
      {
        title: 'Access log',
        ...(pages.cursor === null ? {} : { footer: olderButton(pages, 'Load older rows') }),
      },
      whenLoaded(pages.first, { what: 'The access log', lines: 8 }, () =>
        records.length === 0
          ? empty({
              title: 'Nothing on record',
              text: 'Nobody has read personal data or was denied anything in this selection.',
            })
          : recordsTable(records),
      ),
    )}
  `
}

function recordsTable(records: AccessLog['items']) {
  return table({
    caption: 'Sign-ins, reads of personal data and denied attempts',
    columns: [
      { head: 'Time', keepsLine: true },
      { head: 'Operator' },
      { head: 'Kind' },
      { head: 'What' },
      { head: 'About' },
    ],
    rows: records.map((record, index) => {
      const { at, actor, kind, action, summary, address } = record
      const { name, kind: actorKind } = actorName(actor)
      const { text, href } = accessed(record)
      return {
        key: `${at} ${index}`,
        cells: [
          time(at),
          html`${stored(name)}${actorKind !== null && ` (${actorKind})`}${sub(stored(address))}`,
          kindNames[kind],
          summary === null ? stored(action) : html`${summary}${sub(html`<code>${action}</code>`)}`,
          href === null ? stored(text) : html`<a href=${href}>${stored(text)}</a>`,
        ],
      }
    }),
  })
}
