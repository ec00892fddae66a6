import { systemClock } from '../../../clock.ts'
import { utf8 } from '../../../doctor/bytes.ts'
import { byId } from './by-id.ts'
import { type ReceivedResponse, sendRequest } from './send-request.ts'
import { outcomeOf, shownResponse, shownRequest } from './shown-exchange.ts'
import { type Key, type SignedRequest, signedRequest, type UnsignedRequest } from './signed-request.ts'
import { newOrderId } from './new-order-id.ts'

// "Try it" of the reference. The secret is only in its field: it is read when a button is pressed, and the field is
// cleared when the user leaves the page, so that the Back button does not restore it.
const apiKey = byId('api-key', HTMLInputElement)
const secret = byId('secret', HTMLInputElement)
const showSecret = byId('show-secret', HTMLInputElement)
const keyForm = byId('key-form', HTMLFormElement)
const keyHint = byId('key-hint', HTMLElement)
const sections = [...document.querySelectorAll<HTMLElement>('.try')]

byId('insecure', HTMLElement).hidden = isSecureContext
if (isSecureContext) for (const place of [keyForm, ...sections]) place.hidden = false

showSecret.addEventListener('change', () => {
  secret.type = showSecret.checked ? 'text' : 'password'
})
keyForm.addEventListener('submit', (event) => event.preventDefault())
keyForm.addEventListener('input', () => keyHint.replaceChildren())
addEventListener('pagehide', forget)
for (const section of sections) activate(section)

function forget(): void {
  keyForm.reset()
  secret.type = 'password'
  for (const place of document.querySelectorAll('.outcome, .exchange')) place.replaceChildren()
}

function activate(section: HTMLElement): void {
  const form = section.querySelector('form')!
  const outcome = section.querySelector<HTMLElement>('.outcome')!
  const exchange = section.querySelector<HTMLElement>('.exchange')!
  const button = (action: string) => form.querySelector<HTMLButtonElement>(`[data-action=${action}]`)
  const next = button('next')
  let isBusy = false
  let nextCursor = ''

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void act(send)
  })
  button('sign')?.addEventListener('click', () => void act(signOnly))
  button('new-order')?.addEventListener('click', () => {
    const body = form.querySelector('textarea')!
    const changed = newOrderId(body.value, systemClock.now())
    body.value = changed ?? body.value
    say(changed === null ? 'There is no "orderId" in the body.' : 'The body has a new orderId.', '')
  })
  next?.addEventListener('click', () => {
    form.querySelector<HTMLInputElement>('[data-parameter=cursor]')!.value = nextCursor
    void act(send)
  })

  /** One request at a time, so that a double click does not send two. */
  async function act(work: (key: Key) => Promise<void>): Promise<void> {
    const key = { apiKey: apiKey.value.trim(), secret: secret.value.trim() }
    if (isBusy) return
    if (key.apiKey === '') return ask(apiKey, 'Enter your API key first.')
    if (!/^[\x21-\x7e]+$/.test(key.apiKey))
      return ask(apiKey, 'The API key has a character that is not allowed in a header.')
    if (key.secret === '') return ask(secret, 'Enter your signing secret first. It stays in this page.')
    isBusy = true
    try {
      await work(key)
    } catch (error) {
      say(`Unexpected error: ${String(error)}`, 'wrong')
    } finally {
      isBusy = false
    }
  }

  async function signOnly(key: Key): Promise<void> {
    const request = await signedRequest(entered(form), key, systemClock.now())
    exchange.replaceChildren(...shownRequest(location.origin, request))
    say('Signed, not sent.', '')
  }

  async function send(key: Key): Promise<void> {
    const request = await signedRequest(entered(form), key, systemClock.now())
    exchange.replaceChildren(...shownRequest(location.origin, request))
    say('Sending…', '')
    const response = await sendRequest(request).catch(() => null)
    if (response === null) say(noResponse(request), 'wrong')
    else show(response)
  }

  function show(response: ReceivedResponse): void {
    const cursor = response.members.nextCursor
    nextCursor = typeof cursor === 'string' ? cursor : ''
    if (next !== null) {
      if (nextCursor === '' && document.activeElement === next) form.querySelector('button')!.focus()
      next.hidden = nextCursor === ''
    }
    exchange.prepend(...shownResponse(response))
    say(outcomeOf(response), response.status < 300 ? 'right' : 'wrong')
  }

  function say(text: string, kind: '' | 'right' | 'wrong'): void {
    outcome.className = `outcome ${kind}`
    outcome.textContent = text
  }
}

/** Shows what is missing and moves the focus to the field. */
function ask(field: HTMLInputElement, hint: string): void {
  keyHint.textContent = hint
  field.focus()
}

/** The request that the form describes, as the bytes to send. */
function entered(form: HTMLFormElement): UnsignedRequest {
  const { method, path } = form.dataset as { method: string; path: string }
  const body = form.querySelector('textarea')
  const parameters = [...form.querySelectorAll<HTMLInputElement>('[data-parameter]')]
    .map(({ dataset, value }) => [dataset.parameter!, value] as [string, string])
    .filter(([, value]) => value !== '')
  const query = new URLSearchParams(parameters)
  return {
    method,
    target: parameters.length === 0 ? path : `${path}?${query}`,
    contentType: body === null ? null : body.dataset.contentType!,
    payload: utf8(body === null ? (query.get('tenantId') ?? '') : body.value),
  }
}

function noResponse({ method }: SignedRequest): string {
  const advice =
    method === 'GET' ? '' : ' The award may or may not have been credited. Send the same orderId again.'
  return `The service did not respond.${advice}`
}
