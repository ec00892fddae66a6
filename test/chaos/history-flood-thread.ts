import { parentPort, workerData } from 'node:worker_threads'
import { sign } from '../../src/access/signature.ts'
import { headerLines, requestText } from '../support/raw-http.ts'
import { openRawConnection } from './raw-connection.ts'
import type { PartnerKey } from './stage.ts'

/** A thread that requests the longest page on every connection, the next one as soon as a response has arrived. */
export type HistoryFloodPlan = { url: string; partner: PartnerKey; connections: number; pipelined: number }
export type HistoryFloodFigures = { answered: number; shed: number; other: number }

const { url, partner, connections, pipelined } = workerData as HistoryFloodPlan
const tenantId = partner.tenants[0]!
const timestamp = String(Date.now())
const request = Buffer.from(
  requestText(
    `GET /v1/ep/webhook/awards?tenantId=${tenantId}&limit=100 HTTP/1.1`,
    headerLines({
      Host: 'localhost',
      'X-Api-Key': partner.apiKey,
      'X-Timestamp': timestamp,
      'X-Signature': sign(partner.signingSecret, timestamp, tenantId),
    }),
    '',
  ),
)

const figures: HistoryFloodFigures = { answered: 0, shed: 0, other: 0 }
function count(answer: string): void {
  if (answer.startsWith('HTTP/1.1 200')) figures.answered++
  else if (answer.startsWith('HTTP/1.1 503')) figures.shed++
  else figures.other++
}

let stopped = false
const all = Array.from({ length: connections }, () =>
  openRawConnection(url, {
    places: pipelined,
    onFree: (connection) => {
      if (!stopped) connection.send(request, (answer) => stopped || count(answer))
    },
  }),
)
parentPort!.once('message', () => {
  stopped = true
  for (const connection of all) connection.end()
  parentPort!.postMessage(figures)
})
