import { colored } from './colored.ts'
import { withCopyButton } from './copy-button.ts'
import { curlCommand } from './curl-command.ts'
import { element } from './element.ts'
import type { ReceivedResponse } from './send-request.ts'
import { excerptOf } from './shown-diagnosis.ts'
import type { SignedRequest } from './signed-request.ts'

/** A response in one line, for display and for screen readers. */
export function outcomeOf({ status, statusText, latencyMs, headers, members }: ReceivedResponse): string {
  const code = typeof members.code === 'string' ? members.code : ''
  const requestId = headers.find(([name]) => name === 'x-request-id')?.[1] ?? ''
  const isSandbox = headers.some(([name, value]) => name === 'ep-sandbox' && value === 'true')
  const words = [
    `${status} ${statusText}`.trim(),
    code,
    isSandbox ? 'sandbox: does not count' : '',
    `${latencyMs} ms`,
    `request ${requestId}`,
  ]
  return words.filter((word) => word !== '').join(' · ')
}

export function shownResponse({ status, headers, text, members }: ReceivedResponse): HTMLElement[] {
  const isJson = Object.keys(members).length > 0
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return [
    ...whatToDo(members),
    element('h4', {}, 'Response'),
    block(
      status < 300 ? 'text' : 'text refused',
      ...(isJson ? colored(JSON.stringify(members, null, 2), 'json') : [text]),
    ),
    element('h4', {}, 'Response headers'),
    block('http', lines.join('\n')),
  ]
}

/** Links to the page of the error, and to the debugger if the signature does not match. */
function whatToDo({ type, code }: Record<string, unknown>): HTMLElement[] {
  if (typeof type !== 'string' || !/^\/docs\/errors\/[A-Z_]+$/.test(type)) return []
  const links = [element('a', { href: type }, `What ${String(code)} means`)]
  if (code === 'INVALID_SIGNATURE') {
    links.push(element('a', { href: '/docs/signature' }, 'Find the mistake with the signature debugger'))
  }
  return [element('p', { class: 'action' }, ...links)]
}

export function shownRequest(origin: string, request: SignedRequest): HTMLElement[] {
  const { method, target, headers, signingString } = request
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [
    element('h4', {}, `What was signed: ${signingString.length} bytes`),
    shownString(headers['X-Timestamp']!, excerptOf(signingString)),
    element('h4', {}, 'Request'),
    block('http', [`${method} ${target}`, ...lines].join('\n')),
    element('h4', {}, 'As a curl command'),
    block('curl', ...colored(curlCommand(origin, request), 'sh')),
  ]
}

function shownString(timestamp: string, text: string): HTMLElement {
  return block(
    'signing-string',
    element('span', { class: 'timestamp' }, timestamp),
    element('span', { class: 'dot' }, '.'),
    text.slice(timestamp.length + 1),
  )
}

function block(kind: string, ...content: (string | HTMLElement)[]): HTMLElement {
  return withCopyButton(element('pre', { class: kind }, ...content))
}
