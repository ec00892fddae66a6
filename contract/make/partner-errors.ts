import { readFileSync } from 'node:fs'
import { problemCodes, problems } from '../../src/wire/problems/catalog.ts'
import { type ProtocolStatus, protocolStatuses } from '../../src/wire/problems/protocol-statuses.ts'

const path = 'docs/partner/errors.md'
const start = '<!-- Made from the catalog of errors by `npm run contract`. Do not edit. -->\n'
const end = '<!-- End of the table. -->\n'

type Row = { status: number; code: string; when: string; comesWith: string; retry: string }

/** The page about errors with its table of codes made from the catalog; the rest of the page stays as it is. */
export function partnerErrorsPage(): [path: string, text: string] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const from = text.indexOf(start) + start.length
  const to = text.indexOf(end)
  if (from < start.length || to < from) throw new Error(`${path} has lost the marks around its table`)
  return [path, `${text.slice(0, from)}\n${table()}\n${text.slice(to)}`]
}

function table(): string {
  const rows = [...codeRows(), ...protocolRows()].toSorted((a, b) => a.status - b.status)
  return [
    '| Status | Code | When | Members and headers | Retry |',
    '|---|---|---|---|---|',
    ...rows.map(({ status, code, when, comesWith, retry }) =>
      `| ${status} | ${code} | ${when} | ${comesWith} | ${retry} |`.replaceAll('|  |', '| |'),
    ),
    '',
  ].join('\n')
}

function codeRows(): Row[] {
  return problemCodes.map((code) => {
    const { status, when, retry, members, optional = [], headers } = problems[code]
    const names = Object.keys(members).map(
      (name) => `\`${name}\`${optional.includes(name) ? ' (optional)' : ''}`,
    )
    return { status, code, when, comesWith: [...names, ...headerNames(headers)].join(', '), retry }
  })
}

function protocolRows(): Row[] {
  return Object.entries<ProtocolStatus>(protocolStatuses).map(([status, { when, retry, headers }]) => ({
    status: Number(status),
    code: 'INVALID_REQUEST',
    when,
    comesWith: headerNames(headers).join(', '),
    retry,
  }))
}

function headerNames(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.keys(headers).map((name) => `header \`${name}\``)
}
