import { useState } from 'preact/hooks'
import type { Usage } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { stored } from '../components/mark.ts'
import { levelOf, use } from '../components/meter.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { useMay } from '../context.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { userLink } from '../words/find-links.ts'
import { nearUsers } from '../words/near-users.ts'
import { counted, grouped } from '../words/numbers.ts'

const refreshMs = 60_000
/** Those who are near, and a few more. */
const shownMin = 5
const shownMax = 20

/**
 * Who is close to perUserDay. Without addresses it is no read of personal data, so that nobody is recorded for opening the
 * overview. Addresses are loaded once, when somebody who may see them asks.
 */
export function NearUsers({ isPaused }: { isPaused: boolean }) {
  const mayName = useMay('personal.read')
  const [isNamed, setNamed] = useState(false)
  const loaded = useGet<Usage>(`/usage?users=true&addresses=${isNamed}`, {
    everyMs: isPaused || isNamed ? null : refreshMs,
  })
  // The same button shows and hides them, so that it keeps the focus.
  const side = mayName
    ? html`<button type="button" class="sm" onClick=${() => setNamed(!isNamed)}>
        ${isNamed ? 'Hide' : 'Show'} addresses
      </button>`
    : undefined
  return panel(
    {
      title: 'Users nearest perUserDay',
      columns: 12,
      id: 'near-users',
      ...(side === undefined ? {} : { side }),
      ...(loaded.data === null ? {} : { footer: footerOf(loaded.data, { mayName, isNamed }) }),
    },
    whenLoaded(loaded, { what: 'The users nearest their cap', lines: 5 }, ({ tenants }) => {
      const { users, near } = nearUsers(tenants)
      return usersTable(users.slice(0, Math.min(shownMax, Math.max(shownMin, near))))
    }),
  )
}

type Named = { mayName: boolean; isNamed: boolean }

function footerOf({ tenants, damaged }: Usage, { mayName, isNamed }: Named): string {
  if (damaged[0]) return damaged[0].problem
  const { near, isAtLeast } = nearUsers(tenants)
  const verdict = `${isAtLeast ? 'At least ' : ''}${counted(near, 'user')} used 80% or more of perUserDay today, from all partners.`
  if (isNamed) return `${verdict} That you saw the addresses is recorded in the access log.`
  return `${verdict} ${mayName ? 'Showing addresses is recorded in the access log.' : 'Your role does not see addresses; support and admin do.'}`
}

function usersTable(users: ReturnType<typeof nearUsers>['users']) {
  if (users.length === 0)
    return empty({
      title: 'No user received EP today',
      text: 'The daily counters were reset at midnight in Vietnam.',
      command: 'partner-credit usage --day yesterday',
    })
  return table({
    caption: 'Users nearest perUserDay',
    columns: [
      { head: 'User and tenant' },
      { head: 'EP received today', isWide: true },
      { head: 'EP left', isNumber: true },
    ],
    rows: users.map((user, index) => {
      const { tenantId, userEmail, userRef, points, limit } = user
      return {
        key: `${tenantId} ${index}`,
        cells: [
          html`${
            userEmail === null || userRef === null
              ? `User ${index + 1}`
              : html`<a href=${userLink({ tenantId, ref: userRef })}>${stored(userEmail)}</a>`
          }${sub(stored(tenantId))}`,
          use({
            used: points,
            limit,
            ...(levelOf(points, limit) === 'bad'
              ? { note: html`<span class="wrong">refuses awards that do not fit</span>` }
              : {}),
          }),
          grouped(Math.max(0, limit - points)),
        ],
      }
    }),
  })
}
