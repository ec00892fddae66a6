import { useState } from 'preact/hooks'
import type { PartnerDetails } from '../api-answers.ts'
import { actionDialog } from '../components/action-dialog.ts'
import { textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { capOf } from '../words/entered-cap.ts'
import { counted, grouped } from '../words/numbers.ts'

type PartnerDetailsProps = { partner: PartnerDetails; onClose(): void; onDone(result: string): void }

/** What has no effect on how an award is decided: the name, and how many requests are taken per second. */
export function PartnerDetailsDialog({ partner, onClose, onDone }: PartnerDetailsProps) {
  const { api } = useConsole()
  const [name, setName] = useState(partner.name)
  const [entered, setEntered] = useState(
    partner.requestsPerSecond === null ? '' : grouped(partner.requestsPerSecond),
  )
  const rate = capOf(entered)
  const isRateWrong = rate === 'wrong' || rate === 0
  const change = {
    ...(name.trim() === partner.name ? {} : { name: name.trim() }),
    ...(rate === partner.requestsPerSecond ? {} : { requestsPerSecond: rate }),
  }
  return actionDialog({
    title: html`Change name or rate of ${stored(partner.name)}`,
    consequences: [
      'The name is for people: requests and the ledger have the partner ID, which stays.',
      'Requests above the rate get 429 RATE_LIMITED, on each node, within a second. No award is lost by it.',
    ],
    fields: html`
      ${textField({
        label: 'Name',
        id: 'partner-name',
        value: name,
        onInput: setName,
        isRequired: true,
        attributes: { maxLength: 200, autocomplete: 'off' },
      })}
      ${textField({
        label: 'Requests per second',
        id: 'partner-rate',
        value: entered,
        onInput: setEntered,
        hint: 'On each node. Empty: no limit.',
        ...(isRateWrong ? { error: 'A whole number from 1 on, or nothing.' } : {}),
        attributes: { inputMode: 'numeric', autocomplete: 'off' },
      })}
    `,
    isComplete: name.trim() !== '' && !isRateWrong && Object.keys(change).length > 0,
    button: 'Save changes',
    async run(reason) {
      await api.send('PATCH', `/partners/${encodeURIComponent(partner.partnerId)}`, { ...change, reason })
      const said = [
        ...('name' in change ? [`The name is ${change.name} now.`] : []),
        ...('requestsPerSecond' in change ? [rateText(rate as number | null)] : []),
      ]
      onDone(said.join(' '))
    },
    onClose,
  })
}

function rateText(rate: number | null): string {
  return rate === null
    ? 'The requests per second are not limited any more.'
    : `At most ${counted(rate, 'request')} per second are taken on each node now.`
}
