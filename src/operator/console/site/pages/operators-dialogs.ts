import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { OperatorList, TokenList } from '../api-answers.ts'
import { actionDialog } from '../components/action-dialog.ts'
import { selectField, textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { secretDialog } from '../components/secret-dialog.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { NewTokenDialog } from './new-token.ts'

export type ShownOperator = OperatorList['operators'][number]
export type ShownToken = TokenList['tokens'][number]

/** A change of who has access, which is asked about before it is made. */
export type OperatorAction =
  | { kind: 'add' | 'create token' }
  | { kind: 'role' | 'reset' | 'disable'; operator: ShownOperator }
  | { kind: 'revoke'; token: ShownToken }

type OperatorDialogProps = {
  action: OperatorAction
  /** What a token may be given. */
  scopes: TokenList['scopes']
  onClose(): void
  /** With what was done, in a sentence. */
  onDone(result: string): void
}

const roles = [
  { value: 'viewer', name: 'Viewer: sees figures, partners and awards, no personal data' },
  { value: 'support', name: 'Support: also sees users, suspends partners, starts verification' },
  { value: 'admin', name: 'Admin: may do everything' },
]

export function OperatorDialog({ action, scopes, onClose, onDone }: OperatorDialogProps) {
  const { api } = useConsole()
  const [role, setRole] = useState<string>('operator' in action ? action.operator.role : 'viewer')
  const [name, setName] = useState('')
  const [issued, setIssued] = useState<{ operatorId: string; password: string } | null>(null)
  if (issued !== null)
    return secretDialog({
      title: html`The password of ${stored(issued.operatorId)}`,
      text: issued.password,
      advice:
        'Hand it over in person or over a channel that others cannot read. It can be changed after the first sign-in.',
      ifLost: 'If it is lost, reset it again.',
      onClose: () => onDone(`${issued.operatorId} can sign in with the new password.`),
    })
  const roleField = selectField({ label: 'Role', id: 'role', value: role, onChange: setRole, options: roles })
  const post = <T>(operatorId: string, what: string, body: object) =>
    api.send<T>('POST', `/operators/${encodeURIComponent(operatorId)}/${what}`, body)
  switch (action.kind) {
    case 'create token':
      return h(NewTokenDialog, { scopes, onClose, onDone })
    case 'revoke':
      return actionDialog({
        title: html`Revoke the token ${stored(action.token.name)}?`,
        consequences: ['Requests with it get 401 at once.', 'It cannot be made valid again.'],
        button: 'Revoke token',
        isDestructive: true,
        async run(reason) {
          await api.send('POST', `/tokens/${encodeURIComponent(action.token.tokenId)}/revoke`, { reason })
          onDone('The token is revoked.')
        },
        onClose,
      })
    case 'add':
      return actionDialog({
        title: 'Add operator',
        consequences: ['A password is generated and shown once.'],
        fields: html`
          ${textField({
            label: 'Name or e-mail address',
            id: 'operator-name',
            value: name,
            onInput: setName,
            isRequired: true,
            hint: 'With it the operator signs in, and the audit names them.',
            attributes: { autocomplete: 'off', spellcheck: false, autocapitalize: 'none' },
          })}
          ${roleField}
        `,
        isComplete: name.trim() !== '',
        button: 'Add operator',
        async run(reason) {
          setIssued(
            await api.send('POST', '/operators', {
              operatorId: name.trim(),
              role,
              withPassword: true,
              reason,
            }),
          )
        },
        onClose,
      })
    case 'role':
      return actionDialog({
        title: html`Change the role of ${stored(action.operator.operatorId)}`,
        consequences: ['It applies to the next request of their sessions and tokens.'],
        fields: roleField,
        isComplete: role !== action.operator.role,
        button: `Make ${role}`,
        async run(reason) {
          const { operatorId } = action.operator
          await api.send('PATCH', `/operators/${encodeURIComponent(operatorId)}`, { role, reason })
          onDone(`${operatorId} is ${role} now.`)
        },
        onClose,
      })
    case 'reset':
      return actionDialog({
        title: html`Reset the password of ${stored(action.operator.operatorId)}?`,
        consequences: [
          'A new password is generated and shown once.',
          'All of their sessions end.',
          ...(action.operator.status === 'active' ? [] : ['The account is enabled again.']),
        ],
        button: 'Reset password',
        async run(reason) {
          setIssued(await post(action.operator.operatorId, 'reset', { withPassword: true, reason }))
        },
        onClose,
      })
    case 'disable':
      return actionDialog({
        title: html`Disable ${stored(action.operator.operatorId)}?`,
        consequences: [
          'All of their sessions and tokens end at once.',
          'The account is kept, because the audit names it. It can be enabled again.',
        ],
        button: 'Disable operator',
        isDestructive: true,
        async run(reason) {
          await post(action.operator.operatorId, 'disable', { reason })
          onDone(`${action.operator.operatorId} is disabled.`)
        },
        onClose,
      })
  }
}
