import type { TokenList } from '../api-answers.ts'
import { systemClock } from '../../../../clock.ts'
import { dayMs } from '../../../../rules/vietnam-day.ts'
import { empty } from '../components/empty.ts'
import { mark, stored } from '../components/mark.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { duration } from '../words/times.ts'
import type { OperatorAction, ShownToken } from './operators-dialogs.ts'

/** Every token, the newest first. `begin` is null for those who may only look. */
export function tokensTable({ tokens }: TokenList, begin: ((action: OperatorAction) => void) | null) {
  if (tokens.length === 0)
    return empty({
      title: 'No tokens',
      text: 'A script needs a token to use the operator API. Give it only the scopes that it needs.',
      command: 'node bin/partner-credit.js token create NAME --scope figures.read --expires 90d',
    })
  const now = systemClock.now()
  return table({
    caption: 'API tokens',
    columns: [
      { head: 'Name' },
      { head: 'Scopes' },
      { head: 'Acts for' },
      { head: 'Last use', keepsLine: true },
      { head: 'Expires', keepsLine: true },
      { head: 'State' },
      { head: 'Actions', isHeadHidden: true },
    ],
    rows: tokens.toReversed().map((token) => ({
      key: token.tokenId,
      cells: [
        html`${stored(token.name)}${sub(html`<code>${token.tokenId}</code>`)}`,
        token.scopes.join(', '),
        token.operatorId === null ? 'nobody' : stored(token.operatorId),
        time(token.lastUse),
        time(token.expiresAt),
        stateOf(token, now),
        begin !== null &&
          isLive(token, now) &&
          html`<button type="button" class="sm" onClick=${() => begin({ kind: 'revoke', token })}>
            Revoke <span class="vh">${token.name}</span>
          </button>`,
      ],
    })),
  })
}

function isLive({ revokedAt, expiresAt }: ShownToken, now: number): boolean {
  return revokedAt === null && Date.parse(expiresAt) > now
}

const soonMs = 14 * dayMs

function stateOf(token: ShownToken, now: number) {
  if (token.revokedAt !== null) return mark('inactive', html`Revoked ${time(token.revokedAt)}`)
  const left = Date.parse(token.expiresAt) - now
  if (left <= 0) return mark('inactive', 'Expired')
  return left < soonMs ? mark('attention', `Expires in ${duration(left)}`) : mark('good', 'Live')
}
