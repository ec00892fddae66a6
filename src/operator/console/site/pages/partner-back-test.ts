import { useEffect, useRef, useState } from 'preact/hooks'
import type { TriedCap } from '../api-answers.ts'
import { segmented } from '../components/field.ts'
import { figures } from '../components/figures.ts'
import { note } from '../components/note.ts'
import { whenLoaded } from '../components/states.ts'
import { time } from '../components/time.ts'
import { useConsole, useUrl } from '../context.ts'
import { html } from '../html.ts'
import { useLoaded } from '../load.ts'
import { type BackTested, backTestIn, type Effect } from '../words/back-test.ts'
import { counted, grouped } from '../words/numbers.ts'
import { daysChart } from './partner-days-chart.ts'

const pauseMs = 300

type BackTestProps = {
  partnerId: string
  cap: 'perPartnerDay' | 'perTx'
  /** Where the value would decide. A cap counts in each tenant by itself, so one is shown at a time. */
  tenantIds: string[]
  /** The cap in force. */
  now: number
  /** The value that is typed; null: it is no number, or none is typed yet. */
  tried: number | null
}

/** What another cap would have changed in the last 30 days. It is asked again when typing pauses. */
export function BackTest({ partnerId, cap, tenantIds, now, tried }: BackTestProps) {
  const { router } = useConsole()
  const chosen = useUrl(router).searchParams.get('tenant')
  const tenantId = tenantIds.find((id) => id === chosen) ?? tenantIds[0]
  const typed = usePaused(tried)
  const value = typed ?? now
  const path = `/partners/${encodeURIComponent(partnerId)}/caps/try`
  const test = useLoaded<TriedCap>(
    tenantId === undefined ? null : `${path} ${cap} ${tenantId} ${value}`,
    (api, signal) => api.send('POST', path, { [cap]: value, tenantId }, signal),
  )
  const past = useLatest(test.data, `${cap} ${tenantId}`)
  if (tenantId === undefined)
    return html`<p class="soft">There is no tenant in which this value would decide, so there is nothing to test.</p>`
  return html`<div>
      <h3>What the last 30 days would have looked like in <bdi>${tenantId}</bdi></h3>
      <p class="small soft">
        Credited EP are the ledger's. Refused are the orders that ${cap} refused, each once: on the day of its first refusal,
        and not if it was credited that day after all. Today counts so far.
      </p>
    </div>
    ${
      tenantIds.length > 1 &&
      html`<div>
        ${segmented(
          'Tenant',
          tenantIds.map((id) => ({
            name: id,
            href: router.withQuery({ tenant: id }),
            isCurrent: id === tenantId,
          })),
        )}
        <p class="hint">The value applies in ${counted(tenantIds.length, 'tenant')}, in each by itself.</p>
      </div>`
    }
    ${
      test.problem !== null &&
      note(
        { kind: 'warning', title: 'The effect is unknown.' },
        'The back-test failed. Saving is still possible.',
      )
    }
    ${
      typed === null
        ? html`<p class="soft">Type a value to see what it would have refused and admitted.</p>`
        : whenLoaded(test, { what: 'The back-test', lines: 5 }, (answer) =>
            effect(backTestIn(answer, tenantId), { now, value }),
          )
    }
    ${
      past === null
        ? typed === null && whenLoaded(test, { what: 'The last 30 days', lines: 8 }, () => null)
        : // With a key, so that its open table stays open when the figures above come and go.
          html`<div class="stack" key="days">${recordHint(past)}
          ${daysChart(backTestIn(past, tenantId), { cap, now, tried: test.data === null ? null : typed })}</div>`
    }`
}

/** What happened does not depend on the value: while another one is tested, the chart stays. */
function useLatest(answer: TriedCap | null, place: string): TriedCap | null {
  const latest = useRef<{ place: string; answer: TriedCap } | null>(null)
  if (answer !== null) latest.current = { place, answer }
  return latest.current?.place === place ? latest.current.answer : null
}

/** The last value that stood for a moment; null at once. */
function usePaused(value: number | null): number | null {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return value === null ? null : paused
}

function effect({ total, days }: BackTested, { now, value }: { now: number; value: number }) {
  const { nowRefused, nowAdmitted, stillRefused } = total
  const onDays = (name: keyof Effect) =>
    `on ${counted(days.filter((day) => day[name].count > 0).length, 'day')}`
  return figures([
    {
      name: 'Credited, now refused',
      value: grouped(nowRefused.points),
      unit: 'EP',
      note:
        nowRefused.count > 0
          ? `${counted(nowRefused.count, 'award')} ${onDays('nowRefused')}`
          : value >= now
            ? 'The new cap is not lower.'
            : 'Every award fits.',
    },
    {
      name: 'Refused, now admitted',
      value: grouped(nowAdmitted.points),
      unit: nowAdmitted.points > 0 ? 'EP at least' : 'EP',
      note:
        nowAdmitted.count > 0
          ? `${counted(nowAdmitted.count, 'order')} ${onDays('nowAdmitted')}`
          : 'No refused order would fit.',
    },
    {
      name: 'Still refused',
      value: grouped(stillRefused.points),
      unit: 'EP',
      note:
        stillRefused.count > 0
          ? `${counted(stillRefused.count, 'order')} ${onDays('stillRefused')}`
          : 'No order.',
    },
  ])
}

function recordHint({ refusalsSince, isCut }: TriedCap) {
  return html`<p class="hint" role="status">
    ${
      refusalsSince === null
        ? 'No refusal is on record, so nothing is known of what was refused.'
        : html`Refusals are on record since ${time(refusalsSince)}, and not every one is kept: that is why it says "at least". perUserDay might have refused some of them, too.${
            isCut && ' There are more than were looked at.'
          }`
    }
  </p>`
}
