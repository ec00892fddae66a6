import type { HttpListener } from '../../wire/http-listener.ts'
import { counter, histogram, type Metric } from './metric.ts'

/** Both listeners, by their names. */
export type Listeners = Readonly<Record<string, Pick<HttpListener, 'requests' | 'refusals'>>>

export function requestMetrics(listeners: Listeners): Metric[] {
  const routes = Object.entries(listeners).flatMap(([listener, { requests }]) =>
    requests().map(({ route, ...counts }) => ({ labels: { listener, route }, ...counts })),
  )
  const refusals = Object.entries(listeners).flatMap(([listener, { refusals }]) =>
    Object.entries(refusals()).map(([kind, value]) => ({ labels: { listener, kind }, value })),
  )
  return [
    counter(
      'partner_credit_requests_total',
      'Responses by route, HTTP status and code (OK: no code).',
      routes.flatMap(({ labels, responses }) =>
        responses.map(({ status, code, count }) => ({ labels: { ...labels, status, code }, value: count })),
      ),
    ),
    histogram(
      'partner_credit_request_duration_seconds',
      'Time from the headers of a request until its response is sent.',
      routes.map(({ labels, durationMs }) => ({ labels, reading: durationMs })),
      1_000,
    ),
    counter(
      'partner_credit_refused_total',
      'Connections refused or closed, and broken HTTP, by kind: what never became a request.',
      refusals,
    ),
  ]
}
