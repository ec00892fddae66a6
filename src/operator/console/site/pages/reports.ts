import { dayText, vietnamDay } from '../../../../rules/vietnam-day.ts'
import type { Report } from '../api-answers.ts'
import { downloadButton } from '../components/download.ts'
import { empty } from '../components/empty.ts'
import { filters, segmented, selectField, textField } from '../components/field.ts'
import { mark, stored } from '../components/mark.ts'
import { meter } from '../components/meter.ts'
import { pageHead } from '../components/page-head.ts'
import { partnerName } from '../components/partner-name.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole, useTitle } from '../context.ts'
import { type Content, html } from '../html.ts'
import { useGet } from '../load.ts'
import type { Router } from '../router.ts'
import { counted, grouped } from '../words/numbers.ts'
import { neighborOf, type Period, periodOf } from '../words/report-period.ts'
import { shortDay } from '../words/times.ts'

/** How much was credited and refused, by partner and tenant, on a Vietnam day or in a month. */
export function ReportsPage({ url }: { url: URL }) {
  const { api, router } = useConsole()
  const { searchParams: query } = url
  const now = api.now()
  const period = periodOf(query, now)
  useTitle(`Report, ${period.short}`)
  const by = groupings[query.get('by') ?? ''] === undefined ? 'partner,tenant' : query.get('by')!
  const path = reportPath(period, by, query)
  const report = useGet<Report>(path)
  const days = useGet<Report>(period.kind === 'month' ? reportPath(period, 'day', query) : null)
  const name = `report-${dayText(period.from)}${period.kind === 'day' ? '' : `-to-${dayText(period.to)}`}`
  return html`
    ${pageHead({
      title: 'Reports',
      facts: 'Vietnam days, from 00:00 to 24:00 UTC+7. Closed days do not change.',
      actions: html`
        ${downloadButton({ path, type: 'application/x-ndjson', file: `${name}.ndjson`, label: 'Download NDJSON' })}
        ${downloadButton({ path, type: 'text/csv', file: `${name}.csv`, label: 'Download CSV', isPrimary: true })}
      `,
    })}
    ${periodFilters(period, { by, query, now, router })}
    ${panel(
      { title: period.title, side: stateOf(period) },
      whenLoaded(report, { what: 'The report', lines: 8 }, (data) => reportTable(data, period, router)),
    )}
    ${
      period.kind === 'month' &&
      panel(
        { title: 'EP credited per day' },
        whenLoaded(days, { what: 'The days of the month', lines: 8 }, (data) => daysTable(data, router)),
      )
    }
  `
}

const groupings: Record<string, string> = {
  'partner,tenant': 'Partner and tenant',
  partner: 'Partner',
  tenant: 'Tenant',
}

function reportPath({ from, to }: Period, by: string, query: URLSearchParams): string {
  const parameters = new URLSearchParams({ from: dayText(from), to: dayText(to), by })
  for (const [name, parameter] of [
    ['partner', 'partnerId'],
    ['tenant', 'tenantId'],
  ] as const) {
    const value = query.get(name)
    if (value !== null && value !== '') parameters.set(parameter, value)
  }
  return `/reports?${parameters}`
}

function stateOf({ kind, to, closedUntil }: Period): Content {
  if (closedUntil === to) return mark('good', kind === 'day' ? 'Closed day' : 'Closed month')
  return mark('attention', closedUntil === null ? 'Not over yet' : `Closed until ${shortDay(closedUntil)}`)
}

const shownAs = { partner: partnerName, tenant: stored }

type Filtering = { by: string; query: URLSearchParams; now: number; router: Router }

function periodFilters(period: Period, { by, query, now, router }: Filtering) {
  const change = (changes: Record<string, string | null>) => router.navigate(router.withQuery(changes))
  const day = dayText(period.kind === 'month' ? period.from : period.to)
  const [before, after] = [neighborOf(period, -1, now), neighborOf(period, 1, now)]
  const step = (label: string, to: string | null) =>
    to === null
      ? html`<span class="btn" aria-disabled="true">${label}</span>`
      : html`<a class="btn" href=${router.withQuery({ day: to })}>${label}</a>`
  const what = period.kind === 'day' ? 'day' : 'month'
  return filters(
    html`<div>
      <span class="label">Period</span>
      ${segmented('Period', [
        {
          name: 'Day',
          href: router.withQuery({ period: null, day: query.get('day') }),
          isCurrent: period.kind === 'day',
        },
        { name: 'Month', href: router.withQuery({ period: 'month' }), isCurrent: period.kind === 'month' },
      ])}
    </div>`,
    textField({
      id: 'report-day',
      label: period.kind === 'day' ? 'Day' : 'A day of the month',
      value: day,
      onInput: (value) => value !== '' && change({ day: value }),
      attributes: { type: 'date', max: dayText(vietnamDay(now)) },
    }),
    html`<div class="acts">${step(`Previous ${what}`, before)} ${step(`Next ${what}`, after)}</div>`,
    ...(['partner', 'tenant'] as const).map((name) =>
      query.get(name)
        ? html`<div>
            <span class="label">${name === 'partner' ? 'Partner' : 'Tenant'}</span>
            <a class="btn" href=${router.withQuery({ [name]: null })}
              >${shownAs[name](query.get(name)!)}<span aria-hidden="true"> ×</span><span class="vh">, show all</span></a
            >
          </div>`
        : null,
    ),
    selectField({
      id: 'report-by',
      label: 'Group by',
      value: by,
      onChange: (value) => change({ by: value === 'partner,tenant' ? null : value }),
      options: Object.entries(groupings).map(([value, name]) => ({ value, name })),
    }),
  )
}

const refusedOf = ({ refusals }: Report['total']) =>
  Object.values(refusals).reduce((sum, requests) => sum + requests, 0)

function reportTable(report: Report, { title }: Period, router: Router) {
  const { rows, total, by, refusalsSince, sandboxTenantsLeftOut } = report
  if (rows.length === 0)
    return empty({
      title: 'No awards and no refusals',
      text: 'Nothing was sent in this period. Choose another day, or look at the overview.',
      actions: html`<a class="btn" href="/">Overview</a>`,
    })
  const figures = (row: Report['total']) => [
    grouped(row.awards),
    grouped(row.points),
    grouped(row.rawAmount),
    grouped(row.remainder),
    refusalsSince === null ? '–' : grouped(refusedOf(row)),
    refusalsSince === null ? '–' : grouped(row.refusedPoints),
  ]
  // Requests without a known key or tenant belong to none that can be looked at.
  const only = (name: 'partner' | 'tenant', id: string) =>
    id.startsWith('(')
      ? shownAs[name](id)
      : html`<a href=${router.withQuery({ [name]: id })}>${shownAs[name](id)}</a>`
  const names = (row: Report['rows'][number]) =>
    by.map((dimension) =>
      only(dimension as 'partner' | 'tenant', (dimension === 'partner' ? row.partnerId : row.tenantId)!),
    )
  return html`
    ${table({
      caption: `Report, ${title}`,
      narrow: 'scrolls',
      columns: [
        ...by.map((dimension) => ({ head: dimension === 'partner' ? 'Partner' : 'Tenant', keepsLine: true })),
        ...['Awards', 'EP', 'Raw amount', 'Lost to rounding', 'Refused', 'EP refused'].map((head) => ({
          head,
          isNumber: true,
        })),
      ],
      rows: rows.map((row) => ({
        key: `${row.partnerId} ${row.tenantId}`,
        cells: [...names(row), ...figures(row)],
      })),
      foot: ['Total', ...by.slice(1).map(() => ''), ...figures(total)],
    })}
    <footer>
      Raw amount = EP × 1,000 + lost to rounding. Refused counts requests, repeats included. EP refused is known where the
      request itself was valid.${' '}
      ${
        refusalsSince === null
          ? 'Refusals are not known: there is no journal yet.'
          : html`Refusals are counted since ${time(refusalsSince)}.`
      }
      ${
        sandboxTenantsLeftOut.length > 0 &&
        html` Without ${counted(sandboxTenantsLeftOut.length, 'sandbox tenant')}:${' '}
        ${sandboxTenantsLeftOut.map((id, index) => html`${index > 0 && ', '}${stored(id)}`)}.`
      }
    </footer>
  `
}

function daysTable({ rows }: Report, router: Router) {
  const most = Math.max(1, ...rows.map(({ points }) => points))
  return table({
    caption: 'EP credited per day',
    columns: [
      { head: 'Day', keepsLine: true },
      { head: 'Awards', isNumber: true },
      { head: 'EP', isNumber: true },
      { head: 'Compared', isWide: true, isHeadHidden: true },
      { head: 'Refused', isNumber: true },
    ],
    rows: rows.map((row) => ({
      key: row.day!,
      cells: [
        html`<a href=${router.withQuery({ period: null, day: row.day })}>${row.day}</a>`,
        grouped(row.awards),
        grouped(row.points),
        html`<span class="hbar">${meter({ part: row.points / most })}</span>`,
        grouped(refusedOf(row)),
      ],
    })),
  })
}
