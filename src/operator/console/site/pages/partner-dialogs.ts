import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { IssuedKey, PartnerDetails } from '../api-answers.ts'
import { actionDialog } from '../components/action-dialog.ts'
import { selectField, textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { issuedKeyDialog } from './issued-key.ts'
import { PartnerDetailsDialog } from './partner-details.ts'

/** A change of a partner that is asked about before it is made. */
export type Action =
  | { kind: 'suspend' | 'resume' | 'create key' | 'allow' | 'details' }
  | { kind: 'rotate' | 'revoke'; keyId: string }
  | { kind: 'deny'; tenantId: string }

type PartnerDialogProps = {
  action: Action
  partner: PartnerDetails
  onClose(): void
  /** With what was done, in a sentence. */
  onDone(result: string): void
}

export function PartnerDialog({ action, partner, onClose, onDone }: PartnerDialogProps) {
  const { api } = useConsole()
  const { partnerId } = partner
  const [overlap, setOverlap] = useState('86400')
  const [tenant, setTenant] = useState({ tenantId: '', mode: 'live' })
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const name = stored(partner.name)
  const post = <T>(path: string, body: object) =>
    api.send<T>('POST', `/partners/${encodeURIComponent(partnerId)}${path}`, body)

  if (issued !== null) {
    const title = `The key ${issued.keyId} was created`
    return issuedKeyDialog({ issued, title, onClose: () => onDone(`${title}.`) })
  }
  switch (action.kind) {
    case 'details':
      return h(PartnerDetailsDialog, { partner, onClose, onDone })
    case 'suspend':
      return actionDialog({
        title: html`Suspend ${name}?`,
        consequences: [
          'New awards get 403 PARTNER_SUSPENDED from the next commit on, on every node.',
          'Replays of known orders and the history still work.',
          'Nothing that was credited is taken back.',
        ],
        button: 'Suspend partner',
        isDestructive: true,
        async run(reason) {
          await post('/suspend', { reason })
          onDone('The partner is suspended.')
        },
        onClose,
      })
    case 'resume':
      return actionDialog({
        title: html`Resume ${name}?`,
        consequences: [
          'New awards are accepted again, within the caps.',
          'Orders that were refused meanwhile are not credited by themselves: the partner sends them again.',
        ],
        button: 'Resume partner',
        async run(reason) {
          await post('/resume', { reason })
          onDone('The partner is active again.')
        },
        onClose,
      })
    case 'create key':
      return actionDialog({
        title: html`Create another key for ${name}`,
        consequences: ['The other keys stay valid.', 'The secret of the new key is shown once.'],
        button: 'Create key',
        async run(reason) {
          setIssued(await post<IssuedKey>('/keys', { reason }))
        },
        onClose,
      })
    case 'rotate': {
      const { keyId } = action
      return actionDialog({
        title: html`Rotate the key of ${name}`,
        consequences: [
          html`A new key is created. Its secret is shown once.`,
          html`<code>${keyId}</code> keeps working for the overlap, so that the partner can change over without a gap.`,
        ],
        fields: selectField({
          label: 'Overlap',
          id: 'overlap',
          value: overlap,
          onChange: setOverlap,
          options: [
            { value: '86400', name: '24 hours' },
            { value: '604800', name: '7 days' },
            { value: '2592000', name: '30 days' },
            { value: '0', name: 'None: the old key stops now' },
          ],
        }),
        button: 'Create new key',
        async run(reason) {
          const path = `/keys/${encodeURIComponent(keyId)}/rotate`
          setIssued(await post<IssuedKey>(path, { overlapSeconds: Number(overlap), reason }))
        },
        onClose,
      })
    }
    case 'revoke': {
      const { keyId } = action
      return actionDialog({
        title: html`Revoke the key <code>${keyId}</code>?`,
        consequences: [
          'Requests with it get 401 INVALID_SIGNATURE within a second, on every node.',
          'It cannot be made valid again. To replace it without a gap, rotate it instead.',
        ],
        button: 'Revoke key',
        isDestructive: true,
        async run(reason) {
          await post(`/keys/${encodeURIComponent(keyId)}/revoke`, { reason })
          onDone(`The key ${keyId} is revoked.`)
        },
        onClose,
      })
    }
    case 'allow':
      return actionDialog({
        title: html`Allow ${name} another tenant`,
        consequences: ['A tenant that does not exist yet is created.'],
        fields: html`
          ${textField({
            label: 'Tenant ID',
            id: 'tenant',
            value: tenant.tenantId,
            onInput: (tenantId) => setTenant({ ...tenant, tenantId }),
            isRequired: true,
            attributes: { autocomplete: 'off', spellcheck: false, autocapitalize: 'none' },
          })}
          ${selectField({
            label: 'Mode',
            id: 'mode',
            value: tenant.mode,
            onChange: (mode) => setTenant({ ...tenant, mode }),
            options: [
              { value: 'live', name: 'Live' },
              { value: 'sandbox', name: 'Sandbox: awards do not count' },
            ],
          })}
        `,
        isComplete: tenant.tenantId.trim() !== '',
        button: 'Allow tenant',
        async run(reason) {
          const tenantId = tenant.tenantId.trim()
          await post('/tenants', { tenantId, mode: tenant.mode, reason })
          onDone(`The partner may use the tenant ${tenantId} now.`)
        },
        onClose,
      })
    case 'deny': {
      const { tenantId } = action
      return actionDialog({
        title: html`Withdraw the tenant ${stored(tenantId)} from ${name}?`,
        consequences: [
          'Requests for this tenant get 403 TENANT_NOT_ALLOWED.',
          'Its awards there stay in the ledger.',
          'Caps that were set for the partner in this tenant are lost.',
        ],
        button: 'Withdraw tenant',
        isDestructive: true,
        async run(reason) {
          await post(`/tenants/${encodeURIComponent(tenantId)}/deny`, { reason })
          onDone(`The tenant ${tenantId} is withdrawn.`)
        },
        onClose,
      })
    }
  }
}
