import { refusalCodes } from '../../../../journal/result-code.ts'
import type { RefusalList } from '../api-answers.ts'
import { choiceField, filters, segmented, selectField, textField } from '../components/field.ts'
import { pageHead } from '../components/page-head.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { period, time } from '../components/time.ts'
import { useConsole, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { olderButton, usePages } from '../load-pages.ts'
import { useNames } from '../names.ts'
import type { Router } from '../router.ts'
import { counted, grouped } from '../words/numbers.ts'
import { dayOfFilter, periodsAt, refusalsPath } from '../words/refusals-query.ts'
import { countsTable, noRefusals, rowsTable } from './refusals-tables.ts'

/** What was refused: counts of all of it, then the single refusals that were kept. */
export function RefusalsPage({ url }: { url: URL }) {
  useTitle('Refusals')
  const { router } = useConsole()
  const query = url.searchParams
  const pages = usePages<RefusalList>(refusalsPath(query))
  const { data } = pages.first
  const rows = pages.all.flatMap((page) => page.rows)
  return html`
    ${pageHead({
      title: 'Refusals',
      trail: [{ href: '/', name: 'Overview' }],
      facts: data === null ? ' ' : factsOf(data, query),
    })}
    ${filterRow(query, router)}
    ${panel(
      { title: 'Counts', side: data === null ? '' : counted(data.total, 'refusal') },
      whenLoaded(pages.first, { what: 'The refusals', lines: 6 }, (list) =>
        list.total + rows.length === 0 ? noRefusals(router) : countsTable(list, router),
      ),
    )}
    ${
      (data === null ? pages.first.problem === null : data.total + rows.length > 0) &&
      panel(
        {
          title: 'Single refusals',
          side: `newest first, ${grouped(rows.length)} loaded`,
          ...(data === null ? {} : { footer: html`${olderButton(pages, 'Load older')} ${keptText(data)}` }),
        },
        // If they cannot be loaded, the counts say so.
        whenLoaded({ ...pages.first, problem: null }, { what: 'The refusals', lines: 12 }, () =>
          rowsTable(rows),
        ),
      )
    }
  `
}

function factsOf({ countedSince, countedUntil }: RefusalList, query: URLSearchParams) {
  const what = query.get('all')
    ? 'Requests for awards and for history, sandbox tenants included.'
    : 'Requests for awards in live tenants.'
  return html`${period(countedSince, countedUntil)}. ${what}`
}

function keptText({ rowsSince }: RefusalList) {
  const quota = 'At most 500 per partner, code and hour are kept by each process; the counts are complete.'
  return html`<span>
    ${rowsSince === null ? 'No single refusal is kept.' : html`Kept since ${time(rowsSince)}.`} ${quota}
  </span>`
}

function filterRow(query: URLSearchParams, router: Router) {
  const { api } = useConsole()
  const { partners, tenants } = useNames()
  const show = (changes: Record<string, string | null>) =>
    router.navigate(router.withQuery(changes), { replace: true })
  const [since, until] = [query.get('since'), query.get('until')]
  const choice = (name: string, label: string, list: { value: string; name: string }[]) =>
    choiceField({
      id: `refusals-${name}`,
      label,
      value: query.get(name) ?? '',
      onChange: (chosen) => show({ [name]: chosen }),
      list,
    })
  const dateField = (name: string, label: string, onChange: (day: string) => void) =>
    textField({
      id: `refusals-${name}`,
      label,
      value: dayOfFilter(query.get(name)),
      onInput: onChange,
      attributes: { type: 'date' },
    })
  const unknown = { value: '(unknown)', name: 'No known key' }
  return html`
    ${segmented(
      'Period',
      periodsAt(api.now()).map((period) => ({
        name: period.name,
        href: router.withQuery({ since: period.since, until: period.until }),
        isCurrent: period.since === since && period.until === until,
      })),
    )}
    ${filters(
      choice('partner', 'Partner', [
        ...partners.map(({ partnerId, name }) => ({ value: partnerId, name })),
        unknown,
      ]),
      choice(
        'tenant',
        'Tenant',
        tenants.map(({ tenantId }) => ({ value: tenantId, name: tenantId })),
      ),
      choice(
        'code',
        'Code',
        refusalCodes.map((code) => ({ value: code, name: code })),
      ),
      dateField('since', 'From', (day) => show({ since: day })),
      // Without a first day, the last one is the only one.
      dateField('until', 'To', (day) => show({ until: day, since: dayOfFilter(since) || day })),
      selectField({
        id: 'refusals-all',
        label: 'Requests',
        value: query.get('all') ?? '',
        onChange: (all) => show({ all }),
        options: [
          { value: '', name: 'Awards in live tenants' },
          { value: '1', name: 'All, with history and sandbox' },
        ],
      }),
    )}
  `
}
