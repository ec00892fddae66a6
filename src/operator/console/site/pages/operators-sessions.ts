import type { OperatorList } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { mark, stored } from '../components/mark.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'

/** Ends sessions by a path of the API, and says what was done. */
type End = (path: string, result: string) => void

/** Everybody's open sessions. `end` is null for those who may only look. */
export function sessionsTable({ operators }: OperatorList, end: End | null) {
  const sessions = operators.flatMap(({ operatorId, sessions: all }) =>
    all.map((session) => ({ operatorId, ...session })),
  )
  if (sessions.length === 0)
    return empty({ title: 'No open sessions', text: 'Nobody is signed in to the console.' })
  return table({
    caption: 'Open sessions',
    columns: [
      { head: 'Operator' },
      { head: 'Began', keepsLine: true },
      { head: 'Last request', keepsLine: true },
      { head: 'Address', keepsLine: true },
      { head: 'Browser' },
      { head: 'Actions', isHeadHidden: true },
    ],
    rows: sessions.map(({ operatorId, sessionId, createdAt, usedAt, address, userAgent, isThis }) => ({
      key: sessionId,
      cells: [
        html`${stored(operatorId)}${isThis && html` ${mark('good', 'This one')}`}`,
        time(createdAt),
        time(usedAt),
        stored(address),
        stored(userAgent),
        end !== null &&
          !isThis &&
          html`<button
            type="button"
            class="sm"
            onClick=${() =>
              end(
                `/operators/${encodeURIComponent(operatorId)}/sessions/${encodeURIComponent(sessionId)}`,
                `A session of ${operatorId} was ended.`,
              )}
          >
            End <span class="vh">a session of ${operatorId}</span>
          </button>`,
      ],
    })),
  })
}
