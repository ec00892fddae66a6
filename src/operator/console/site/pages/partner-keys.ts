import { systemClock } from '../../../../clock.ts'
import type { Key, PartnerDetails } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { mark } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { counted } from '../words/numbers.ts'
import { clockDifference, duration } from '../words/times.ts'
import type { Action } from './partner-dialogs.ts'

/** The partner's keys: how old, when last used, and whether the clock behind them is right. */
export function keysPanel(
  { keys, wrongSignatures }: PartnerDetails,
  begin: ((action: Action) => void) | null,
) {
  const now = systemClock.now()
  return panel(
    {
      title: 'Keys',
      columns: 12,
      id: 'keys',
      side: 'secrets are never shown again',
      footer: `${counted(wrongSignatures, 'request')} with a wrong signature in the last 24 hours.${
        wrongSignatures > 0 ? ' The key is known, so the secret or the signed bytes are wrong.' : ''
      }`,
    },
    keys.length === 0
      ? empty({ title: 'No keys', text: 'Without a key the partner cannot send anything.' })
      : table({
          caption: 'Keys',
          columns: [
            { head: 'Key' },
            { head: 'State' },
            { head: 'Age', isNumber: true },
            { head: 'Last use' },
            { head: 'Clock difference', isNumber: true },
            { head: 'Actions', isHeadHidden: true, isNumber: true },
          ],
          rows: keys.toReversed().map((key) => ({
            key: key.keyId,
            cells: [
              html`<code>${key.keyId}</code>`,
              stateOf(key, now),
              duration(now - Date.parse(key.createdAt)),
              key.lastUsedAt === null ? html`<span class="soft">Not on record</span>` : time(key.lastUsedAt),
              clockText(key.clockDifferenceMs),
              begin !== null && isLive(key, now) && keyActions(key, begin),
            ],
          })),
        }),
    begin !== null &&
      html`<div class="body acts">
        <button type="button" class="sm" onClick=${() => begin({ kind: 'create key' })}>Create another key</button>
      </div>`,
  )
}

function keyActions({ keyId }: Key, begin: (action: Action) => void) {
  return html`<span class="acts">
    <button type="button" class="sm" onClick=${() => begin({ kind: 'rotate', keyId })}>Rotate</button>
    <button type="button" class="sm" onClick=${() => begin({ kind: 'revoke', keyId })}>Revoke</button>
  </span>`
}

function isLive({ revokedAt, expiresAt }: Key, now: number): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
}

function stateOf(key: Key, now: number) {
  const { revokedAt, expiresAt } = key
  if (revokedAt !== null) return mark('inactive', html`Revoked ${time(revokedAt)}`)
  if (expiresAt === null) return mark('good', 'Live')
  return isLive(key, now)
    ? mark('attention', html`Expires ${time(expiresAt)}`)
    : mark('inactive', html`Expired ${time(expiresAt)}`)
}

/** Less says nothing about a clock: requests take a while, and some partners send whole seconds. */
const exactMs = 2_000
/** From here on the partner should look at its clock; requests fail at the configured window. */
const farMs = 60_000

function clockText(differenceMs: number | null) {
  if (differenceMs === null) return html`<span class="soft">–</span>`
  if (Math.abs(differenceMs) < 50) return '0.0 s'
  if (Math.abs(differenceMs) < exactMs)
    return `${differenceMs > 0 ? '+' : '−'}${(Math.abs(differenceMs) / 1_000).toFixed(1)} s`
  const text = clockDifference(differenceMs)
  return Math.abs(differenceMs) < farMs ? text : mark('attention', text)
}
