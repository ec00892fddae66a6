import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { FindAnswer } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { note } from '../components/note.ts'
import { pageHead } from '../components/page-head.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { rolesWith } from '../../../access/permissions.ts'
import { time } from '../components/time.ts'
import { useConsole, useMay, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { useLoaded } from '../load.ts'
import { findPlace, onlyResult, searchedText } from '../words/find-links.ts'
import { foundAwards, foundRefusals, foundUsers } from './found-tables.ts'

/** One field for an order, an address, a transaction or a request. A single result is opened at once. */
export function FindPage({ url }: { url: URL }) {
  const { router, session } = useConsole()
  // An address never stands in a URL: it is handed over beside it.
  const text = url.searchParams.get('q') ?? router.typed() ?? ''
  useTitle(url.searchParams.has('q') ? `Find: ${text}` : 'Find')
  const found = useLoaded<FindAnswer>(text === '' ? null : text, (api, signal) =>
    api.send('POST', '/find', { text }, signal),
  )
  const { data } = found
  const mayFindUsers = useMay('personal.read')
  const hidden = mayFindUsers || !text.includes('@') ? null : session.operator.role
  useEffect(() => {
    const only = data === null ? null : onlyResult(data)
    if (only !== null) router.navigate(only, { replace: true })
  }, [data])
  return html`
    ${pageHead({ title: 'Find' })}
    ${h(FindForm, { searched: text, key: text })}
    ${text === '' ? nothingTyped : whenLoaded(found, { what: 'The search', lines: 6 }, (answer) => results(answer, hidden))}
  `
}

const nothingTyped = panel(
  { title: 'Nothing searched yet' },
  empty({
    title: 'What do you know about it?',
    text: 'Enter an order ID exactly as the partner sent it, the full e-mail address of a user, a transaction ID, or the request ID of a response.',
    command: 'node bin/partner-credit.js find TEXT',
  }),
)

function FindForm({ searched }: { searched: string }) {
  const { router } = useConsole()
  const [text, setText] = useState(searched)
  const submit = (event: Event) => {
    event.preventDefault()
    const { to, typed } = findPlace(text)
    if (text.trim() !== '') router.navigate(to, { typed })
  }
  return html`<form class="find" role="search" aria-label="Find" onSubmit=${submit}>
    <div class="field">
      <label for="find-text">Order, address, transaction or request ID</label>
      <div class="unit">
        <input
          id="find-text"
          value=${text}
          maxlength="320"
          autocomplete="off"
          spellcheck=${false}
          onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)}
        />
        <button class="main" type="submit">Find</button>
      </div>
    </div>
  </form>`
}

/** `hidden`: the role that may not search for what was typed, because it may be an address. */
function results(answer: FindAnswer, hidden: string | null) {
  const { credited, refused, searchedAs, notSearched } = answer
  const isNothing = credited.length === 0 && refused.length === 0
  return html`
    <p class="small soft">${searchedText(searchedAs)}</p>
    ${isNothing && (hidden === null ? panel({ title: 'Nothing found' }, nothingFound(answer)) : notAllowed(hidden))}
    ${foundUsers(credited)} ${credited.length > 0 && foundAwards(answer)}
    ${refused.length > 0 && foundRefusals(answer)}
    ${(isNothing && hidden !== null ? [] : notSearched).map((what) => note({ kind: 'warning', title: 'Not searched:' }, html`<bdi>${what}</bdi>`))}
  `
}

function notAllowed(role: string) {
  return panel(
    { title: 'Addresses were not searched' },
    empty({
      title: 'Your role cannot search for an address',
      text: `You are signed in with the role ${role}. Operators with the role ${rolesWith('personal.read').join(' or ')} can search for addresses: ask one of them. What you typed was searched as an order ID only, and no order has it.`,
      actions: html`<a class="btn" href="/find">Search for something else</a>`,
    }),
  )
}

function nothingFound({ text, refusalsSince }: FindAnswer) {
  const refusals =
    refusalsSince === null
      ? 'No refusals are on record yet.'
      : html`No refusal on record since ${time(refusalsSince)} belongs to it.`
  return empty({
    title: html`<bdi>${text}</bdi> is not in the ledger`,
    text: html`${refusals} If the partner has the request ID of a response, search for that. Requests that fail authentication are counted, but not tied to an order: look at the bad signatures of the partner.`,
    actions: html`<a class="btn" href="/partners">Choose a partner</a>`,
  })
}
