import { useState } from 'preact/hooks'
import type { DefaultCaps, TenantInList, Usage } from '../api-answers.ts'
import { actionDialog } from '../components/action-dialog.ts'
import { textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { note } from '../components/note.ts'
import { useConsole } from '../context.ts'
import { type Content, html } from '../html.ts'
import { useGet } from '../load.ts'
import { capOf } from '../words/entered-cap.ts'
import { fullAtOnce, usersFullAtOnce } from '../words/full-at-once.ts'
import { grouped } from '../words/numbers.ts'

type DialogProps = { onClose(): void; onDone(result: string): void }

const notTested =
  'Its effect on past days is not estimated here. Caps of one partner have a back-test on its page.'
const atOnce = 'It applies from the next commit on, on every node. What was credited stays.'
const numeric = { inputMode: 'numeric', autocomplete: 'off' }

/** Without addresses: how many users are affected is no read of personal data. */
const usageOf = (tenantId: string | null) =>
  `/usage?users=true&addresses=false${tenantId === null ? '' : `&tenantId=${encodeURIComponent(tenantId)}`}`

/** What a new value refuses today, before it is saved. */
function warning(said: string | null): Content {
  return (
    said !== null && html`<div class="spaced">${note({ kind: 'warning', isNew: true }, stored(said))}</div>`
  )
}

/** perUserDay of one tenant. */
export function TenantCapDialog({
  tenant: { tenantId, perUserDay },
  byDefault,
  onClose,
  onDone,
}: DialogProps & { tenant: TenantInList; byDefault: number }) {
  const { api } = useConsole()
  const [entered, setEntered] = useState(perUserDay === null ? '' : grouped(perUserDay))
  const value = capOf(entered)
  const usage = useGet<Usage>(usageOf(tenantId))
  const full =
    value === 'wrong' || value === perUserDay
      ? null
      : usersFullAtOnce(value ?? byDefault, usage.data?.tenants ?? [])
  return actionDialog({
    title: html`Change perUserDay in ${stored(tenantId)}`,
    consequences: [
      'It counts what a user receives in this tenant on one day, from all partners.',
      notTested,
      atOnce,
    ],
    fields: html`${textField({
      label: 'perUserDay',
      id: 'tenant-cap',
      value: entered,
      onInput: setEntered,
      hint: `EP per user and day. Empty: the default of ${grouped(byDefault)} EP applies.`,
      ...(value === 'wrong' ? { error: 'A whole number of EP, such as 10,000, or nothing.' } : {}),
      attributes: numeric,
    })}${warning(full)}`,
    isComplete: value !== 'wrong' && value !== perUserDay,
    button:
      value === null || value === 'wrong'
        ? `Use the default of ${grouped(byDefault)} EP`
        : `Save ${grouped(value)} EP per day`,
    async run(reason) {
      await api.send('PUT', `/tenants/${encodeURIComponent(tenantId)}/caps`, { perUserDay: value, reason })
      onDone(`perUserDay in ${tenantId} is ${grouped((value as number | null) ?? byDefault)} EP now.`)
    },
    onClose,
  })
}

export const defaultNames = ['perTx', 'perPartnerDay', 'perUserDay'] as const
export const defaultMeanings: Record<(typeof defaultNames)[number], string> = {
  perTx: 'EP per award',
  perPartnerDay: 'EP per partner, tenant and day',
  perUserDay: 'EP per user, tenant and day, from all partners',
}

/** The caps that apply where nothing else is set. */
export function DefaultCapsDialog({ defaults, onClose, onDone }: DialogProps & { defaults: DefaultCaps }) {
  const { api } = useConsole()
  const [entered, setEntered] = useState({
    perTx: grouped(defaults.perTx),
    perPartnerDay: grouped(defaults.perPartnerDay),
    perUserDay: grouped(defaults.perUserDay),
  })
  const values = defaultNames.map((name) => ({ name, value: capOf(entered[name]) }))
  const isWrong = values.some(({ value }) => value === null || value === 'wrong')
  const changed = values.filter(({ name, value }) => value !== defaults[name])
  const usage = useGet<Usage>(usageOf(null)).data
  return actionDialog({
    title: 'Change the default caps',
    consequences: ['They apply wherever no cap is set for a partner or a tenant.', notTested, atOnce],
    fields: html`${values.map(({ name, value }) =>
      textField({
        label: name,
        id: `default-${name}`,
        value: entered[name],
        onInput: (text) => setEntered({ ...entered, [name]: text }),
        isRequired: true,
        hint: `${defaultMeanings[name]}. Now ${grouped(defaults[name])}.`,
        ...(value === null || value === 'wrong' ? { error: 'A whole number of EP, such as 500,000.' } : {}),
        attributes: numeric,
      }),
    )}
    ${changed.map(({ name, value }) => warning(typeof value === 'number' ? byDefaultFull(name, value, usage) : null))}`,
    isComplete: !isWrong && changed.length > 0,
    button: 'Save default caps',
    async run(reason) {
      const caps = Object.fromEntries(changed.map(({ name, value }) => [name, value]))
      await api.send('PUT', '/defaults/caps', { ...caps, reason })
      const said = changed.map(({ name, value }) => `${name} is ${grouped(value as number)} EP`)
      onDone(`By default, ${said.join(' and ')} now.`)
    },
    onClose,
  })
}

/** Where the default decides, in live tenants: what today has used up already. */
function byDefaultFull(name: (typeof defaultNames)[number], cap: number, usage: Usage | null): string | null {
  const isDecided = ({ sandbox }: { sandbox: boolean }, from: string | null) => !sandbox && from === 'default'
  if (name === 'perTx' || usage === null) return null
  if (name === 'perUserDay')
    return usersFullAtOnce(
      cap,
      usage.tenants.filter((tenant) => isDecided(tenant, tenant.perUserDay.from)),
    )
  return fullAtOnce(
    cap,
    usage.accounts.filter((account) => isDecided(account, account.perPartnerDay.from)),
  )
}
