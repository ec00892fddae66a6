import { shellQuoted } from '../doctor/shell-quoted.ts'

/** A signed award as a curl command; `data` is the value of its --data-binary option. */
export function awardCurl(url: string, headers: Record<string, string>, data: string): string {
  const all = { 'Content-Type': 'application/json', ...headers }
  return [`curl -i ${url}/v1/ep/webhook`, ...headerFlags(all), `--data-binary ${shellQuoted(data)}`].join(
    ' \\\n  ',
  )
}

export function historyCurl(url: string, headers: Record<string, string>, tenantId: string): string {
  const target = `${url}/v1/ep/webhook/awards?tenantId=${encodeURIComponent(tenantId)}`
  return [`curl -i ${shellQuoted(target)}`, ...headerFlags(headers)].join(' \\\n  ')
}

function headerFlags(headers: Record<string, string>): string[] {
  return Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`)
}
