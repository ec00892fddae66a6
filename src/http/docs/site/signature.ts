import { systemClock } from '../../../clock.ts'
import { utf8 } from '../../../doctor/bytes.ts'
import { diagnose } from '../../../doctor/diagnose.ts'
import { readRequest } from '../../../doctor/read-request.ts'
import { type Reading, sentRequest } from '../../../doctor/sent-request.ts'
import { byId } from './by-id.ts'
import { element } from './element.ts'
import { shownDiagnosis } from './shown-diagnosis.ts'

// The signature debugger. What is entered is read when the button is pressed, and kept nowhere: when the user leaves the
// page, it is emptied, so that the Back button does not restore the secret.
const form = byId('debugger', HTMLFormElement)
const result = byId('result', HTMLElement)
const secret = byId('secret', HTMLInputElement)

byId('insecure', HTMLElement).hidden = isSecureContext
form.addEventListener('submit', (event) => {
  event.preventDefault()
  examine().catch((error: unknown) => complain(`This should not happen: ${String(error)}`))
})
form.addEventListener('change', showWhatIsAskedFor)
byId('show-secret', HTMLInputElement).addEventListener('change', ({ currentTarget }) => {
  secret.type = (currentTarget as HTMLInputElement).checked ? 'text' : 'password'
})
addEventListener('pagehide', forget)
byId('example', HTMLElement).addEventListener('click', fillInExample)
showWhatIsAskedFor()

async function examine(): Promise<void> {
  const reading = chosen('given') === 'text' ? readRequest(entered('request')) : readFields()
  if (!reading.ok) return complain(`The request cannot be read: ${reading.problem}.`)
  if (secret.value.trim() === '') return complain('The signing secret is needed. It stays in this page.')
  if (!isSecureContext) return complain('Your browser computes signatures only on https or localhost.')
  const diagnosis = await diagnose({
    request: reading.request,
    secret: secret.value,
    answer: entered('answer'),
    now: systemClock.now(),
  })
  show(shownDiagnosis(diagnosis))
}

function forget(): void {
  form.reset()
  secret.type = 'password'
  result.replaceChildren()
  showWhatIsAskedFor()
}

function readFields(): Reading {
  const method = chosen('endpoint')
  const headers: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['X-Api-Key', entered('api-key').trim()],
    ['X-Timestamp', entered('timestamp').trim()],
    ['X-Signature', entered('signature').trim()],
  ]
  const target =
    method === 'POST' ? '/v1/ep/webhook' : `/v1/ep/webhook/awards?tenantId=${entered('tenant').trim()}`
  const body = method === 'POST' ? utf8(entered('body')) : new Uint8Array()
  return sentRequest({ method, target, headers, body, notes: [] })
}

function complain(problem: string): void {
  show([element('p', { class: 'warning' }, problem)])
}

function show(content: HTMLElement[]): void {
  result.replaceChildren(...content)
  result.scrollIntoView({ block: 'start' })
}

function showWhatIsAskedFor(): void {
  const asText = chosen('given') === 'text'
  byId('as-text', HTMLElement).hidden = !asText
  byId('as-fields', HTMLElement).hidden = asText
  byId('of-award', HTMLElement).hidden = chosen('endpoint') !== 'POST'
  byId('of-history', HTMLElement).hidden = chosen('endpoint') !== 'GET'
}

/** The worked example of the start page, signed over compact JSON and sent with a space in it. */
function fillInExample(): void {
  const [text] = form.querySelectorAll<HTMLInputElement>('input[name=given]')
  text!.checked = true
  showWhatIsAskedFor()
  byId('request', HTMLTextAreaElement).value = `curl ${location.origin}/v1/ep/webhook \\
  -H 'Content-Type: application/json' \\
  -H 'X-Api-Key: pck_example' \\
  -H 'X-Timestamp: 1763182800000' \\
  -H 'X-Signature: 23be180d0e48c1cff171f70845b8e314afdc01b43ed62660ae6353d0c46db8c8' \\
  --data-binary '{"a": 1}'`
  secret.value = 'pcs_example'
}

function chosen(name: string): string {
  return form.querySelector<HTMLInputElement>(`input[name=${name}]:checked`)!.value
}

function entered(id: string): string {
  return (document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement).value
}
