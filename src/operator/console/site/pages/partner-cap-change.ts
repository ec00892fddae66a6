import { useState } from 'preact/hooks'
import type { PartnerDetails, PartnerUsage } from '../api-answers.ts'
import type { ApiProblem } from '../api-client.ts'
import { reasonField } from '../components/action-dialog.ts'
import { selectField, textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { note } from '../components/note.ts'
import { body, panel } from '../components/panel.ts'
import { problemNote } from '../components/states.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'
import { capOf } from '../words/entered-cap.ts'
import { fullAtOnce } from '../words/full-at-once.ts'
import { grouped } from '../words/numbers.ts'
import { BackTest } from './partner-back-test.ts'
import { h } from 'preact'

type CapName = 'perPartnerDay' | 'perTx'
const units: Record<CapName, string> = { perPartnerDay: 'EP per day', perTx: 'EP per award' }

type CapChangeProps = {
  partner: PartnerDetails
  /** What it has credited today; null: not known yet. */
  usage: PartnerUsage | null
  onDone(result: string): void
}

/** Changes a cap. What the new value would have done in the last 30 days stands beside it, before it is saved. */
export function CapChange({ partner, usage, onDone }: CapChangeProps) {
  const { api } = useConsole()
  const { partnerId, grants } = partner
  const [name, setName] = useState<CapName>('perPartnerDay')
  const [tenantId, setTenantId] = useState(() => usualPlace(partner))
  const [entered, setEntered] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const place = placeOf(partner, name, tenantId)
  const value = entered === null ? place.own : capOf(entered)
  const isChanged = entered !== null && value !== 'wrong' && value !== place.own
  const button =
    value === null
      ? `Save: fall back to ${grouped(place.fallback)} ${units[name]}`
      : `Save ${value === 'wrong' ? '' : grouped(value)} ${units[name]}`
  const isReady = isChanged && reason.trim() !== ''

  function reset(): void {
    setEntered(null)
    setReason('')
    setProblem(null)
  }
  async function save(event: Event) {
    event.preventDefault()
    if (!isReady || isSaving) return
    setSaving(true)
    setProblem(null)
    try {
      await api.send('PUT', `/partners/${encodeURIComponent(partnerId)}/caps`, {
        ...(tenantId === '' ? {} : { tenantId }),
        [name]: value,
        reason: reason.trim(),
      })
      reset()
      onDone(`${name} is ${grouped(value === null ? place.fallback : value)} EP now.`)
    } catch (error) {
      setProblem(problemOf(error))
    }
    setSaving(false)
  }
  // Before something is typed there is nothing to test.
  const tried = entered === null || value === 'wrong' ? null : (value ?? place.fallback)
  const tenantIds = decidedIn(partner, name, tenantId)
  const full =
    isChanged && tried !== null && name === 'perPartnerDay'
      ? fullAtOnce(
          tried,
          (usage?.accounts ?? [])
            .filter((account) => tenantIds.includes(account.tenantId))
            .map(({ tenantId, points }) => ({ tenantId, points })),
        )
      : null
  return panel(
    { title: 'Change a cap', columns: 12, id: 'change-caps', side: 'the back-test is shown before saving' },
    body(html`<div class="grid">
      <form class="c4" onSubmit=${save}>
        ${selectField({
          label: 'Cap',
          id: 'cap-name',
          value: name,
          onChange: (chosen) => {
            setName(chosen as CapName)
            setEntered(null)
          },
          options: [
            { value: 'perPartnerDay', name: 'perPartnerDay: EP per tenant and day' },
            { value: 'perTx', name: 'perTx: EP per award' },
          ],
        })}
        ${selectField({
          label: 'Applies',
          id: 'cap-tenant',
          value: tenantId,
          onChange: (chosen) => {
            setTenantId(chosen)
            setEntered(null)
          },
          options: [
            ...grants.map((grant) => ({ value: grant.tenantId, name: `in ${grant.tenantId}` })),
            { value: '', name: 'in all tenants without a cap of their own' },
          ],
        })}
        ${textField({
          label: html`${name} <span class="soft">in ${units[name]}</span>`,
          id: 'cap-value',
          value: entered ?? (place.own === null ? '' : grouped(place.own)),
          onInput: setEntered,
          hint: `${place.own === null ? 'Not set here' : `Now ${grouped(place.own)}`}. Leave it empty to fall back to ${grouped(place.fallback)}.`,
          ...(value === 'wrong' ? { error: 'A whole number of EP, such as 500,000, or nothing.' } : {}),
          attributes: { inputMode: 'numeric', autocomplete: 'off' },
        })}
        ${full !== null && html`<div class="spaced">${note({ kind: 'warning', isNew: true }, stored(full))}</div>`}
        ${reasonField({ value: reason, onInput: setReason, id: 'cap-reason' })}
        ${problem !== null && problemNote({ title: 'The cap was not changed.', problem })}
        <div class="acts alone">
          <button class="main" disabled=${!isReady} aria-disabled=${String(isSaving)}>${isSaving ? 'Saving' : button}</button>
          ${isChanged && html`<button type="button" onClick=${reset}>Cancel</button>`}
        </div>
        <p class="hint alone">Takes effect with the next commit, on every node.</p>
      </form>
      <div class="c8 stack">
        ${h(BackTest, { partnerId, cap: name, tenantIds, now: place.inForce, tried })}
      </div>
    </div>`),
  )
}

/** Where the daily cap that decides now is set, or else could be. */
function usualPlace({ grants }: PartnerDetails): string {
  const grant = grants.find(({ mode }) => mode === 'live') ?? grants[0]
  return grant === undefined || grant.caps.perPartnerDay.from === 'partner' ? '' : grant.tenantId
}

/** The tenants in which a value that is set here decides: all live ones without their own, if none is named. */
function decidedIn({ grants }: PartnerDetails, name: CapName, tenantId: string): string[] {
  if (tenantId !== '') return [tenantId]
  return grants
    .filter((grant) => grant.mode === 'live' && grant[name] === null)
    .map((grant) => grant.tenantId)
}

type Place = { own: number | null; fallback: number; inForce: number }

/** What is set here, and what would apply without it. */
function placeOf(partner: PartnerDetails, name: CapName, tenantId: string): Place {
  const byDefault = partner.defaults[name]
  const grant = partner.grants.find((one) => one.tenantId === tenantId)
  if (grant === undefined)
    return { own: partner[name], fallback: byDefault, inForce: partner[name] ?? byDefault }
  return { own: grant[name], fallback: partner[name] ?? byDefault, inForce: grant.caps[name].limit }
}
