import { useState } from 'preact/hooks'
import type { TokenList } from '../api-answers.ts'
import { actionDialog } from '../components/action-dialog.ts'
import { selectField, textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { secretDialog } from '../components/secret-dialog.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'

type NewTokenProps = { scopes: TokenList['scopes']; onClose(): void; onDone(result: string): void }

/** A token acts for the operator who creates it, and has at most their permissions. */
export function NewTokenDialog({ scopes, onClose, onDone }: NewTokenProps) {
  const { api, session } = useConsole()
  const [name, setName] = useState('')
  const [days, setDays] = useState('90')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [issued, setIssued] = useState<{ secret: string } | null>(null)
  if (issued !== null)
    return secretDialog({
      title: html`The token ${stored(name)} was created`,
      text: issued.secret,
      advice: 'Scripts send it as "Authorization: Bearer …". Only a hash is stored.',
      ifLost: 'If it is lost, create another one and revoke this one.',
      onClose: () => onDone('The token was created.'),
    })
  const toggle = (scope: string) =>
    setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
  return actionDialog({
    title: 'Create token',
    consequences: [
      'It acts for you, and can do no more than you may do at that moment.',
      'It is shown once.',
    ],
    fields: html`
      ${textField({
        label: 'Name',
        id: 'token-name',
        value: name,
        onInput: setName,
        isRequired: true,
        attributes: { autocomplete: 'off' },
      })}
      <fieldset class="field checks">
        <legend>Scopes</legend>
        ${scopes
          .filter(({ scope }) => session.permissions.includes(scope))
          .map(
            ({ scope, about }) => html`<label key=${scope}>
              <input type="checkbox" checked=${chosen.includes(scope)} onChange=${() => toggle(scope)} />
              <span><b>${scope}</b> <span class="soft">${about}</span></span>
            </label>`,
          )}
      </fieldset>
      ${selectField({
        label: 'Expires',
        id: 'token-days',
        value: days,
        onChange: setDays,
        options: [30, 90, 365].map((one) => ({ value: String(one), name: `in ${one} days` })),
      })}
    `,
    isComplete: name.trim() !== '' && chosen.length > 0,
    button: 'Create token',
    async run(reason) {
      const token = { name: name.trim(), scopes: chosen, expiresInDays: Number(days) }
      setIssued(await api.send('POST', '/tokens', { ...token, reason }))
    },
    onClose,
  })
}
