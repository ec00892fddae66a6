import { useState } from 'preact/hooks'
import type { IssuedKey } from '../api-answers.ts'
import { actionDialog } from '../components/action-dialog.ts'
import { textField } from '../components/field.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { capOf } from '../words/entered-cap.ts'
import { issuedKeyDialog } from './issued-key.ts'

/** Asks for what a partner needs, then shows its first key, once. */
export function CreatePartner({ onEnd, onCreated }: { onEnd(): void; onCreated(): void }) {
  const { api, router, tell } = useConsole()
  const [entered, setEntered] = useState(nothing)
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  if (issued !== null) {
    return issuedKeyDialog({
      issued,
      title: 'The partner was created',
      onClose() {
        setIssued(null)
        setTimeout(() => {
          router.navigate(`/partners/${encodeURIComponent(issued.partnerId)}`)
          tell(`The partner ${issued.partnerId} was created. It is in the audit, with your name and reason.`)
        })
      },
    })
  }
  const [perTx, perPartnerDay] = [capOf(entered.perTx), capOf(entered.perPartnerDay)]
  const [tenants, sandboxTenants] = [idsOf(entered.tenants), idsOf(entered.sandboxTenants)]
  const input = (
    label: string,
    name: keyof typeof nothing,
    hint: string,
    more: Record<string, unknown> = {},
  ) =>
    textField({
      label,
      id: `new-${name}`,
      value: entered[name],
      hint,
      onInput: (value) => setEntered({ ...entered, [name]: value }),
      ...more,
    })
  return actionDialog({
    title: 'Create partner',
    consequences: [],
    fields: html`
      ${input('Partner ID', 'partnerId', 'Letters, digits, dot, dash and underscore. It never changes.', plain)}
      ${input('Name', 'name', 'For people. It can be changed.')}
      ${input('Tenants', 'tenants', 'Where it may credit EP, separated by spaces. A new one is created.', plain)}
      ${input('Sandbox tenants', 'sandboxTenants', 'For tests: awards there do not count.', plain)}
      ${input('perTx', 'perTx', 'EP per award. Empty: the service default applies.', capError(perTx))}
      ${input('perPartnerDay', 'perPartnerDay', 'EP per tenant and day. Empty: the service default applies.', capError(perPartnerDay))}
    `,
    button: 'Create partner',
    isComplete:
      entered.partnerId.trim() !== '' &&
      entered.name.trim() !== '' &&
      tenants.length + sandboxTenants.length > 0 &&
      perTx !== 'wrong' &&
      perPartnerDay !== 'wrong',
    async run(reason) {
      const partner = {
        partnerId: entered.partnerId.trim(),
        name: entered.name.trim(),
        tenants,
        sandboxTenants,
        perTx,
        perPartnerDay,
      }
      setIssued(await api.send<IssuedKey>('POST', '/partners', { ...partner, reason }))
      onCreated()
    },
    onClose: onEnd,
  })
}

const nothing = { partnerId: '', name: '', tenants: '', sandboxTenants: '', perTx: '', perPartnerDay: '' }
const plain = { attributes: { spellcheck: false, autocapitalize: 'none', autocomplete: 'off' } }

function capError(cap: ReturnType<typeof capOf>) {
  return cap === 'wrong' ? { error: 'A whole number of EP, such as 500,000, or nothing.' } : {}
}

function idsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((id) => id !== '')
}
