import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api-client.ts'
import { copyText } from '../copy-text.ts'
import { type Content, html } from '../html.ts'
import type { Loaded } from '../load.ts'
import { note } from './note.ts'
import { time } from './time.ts'

type StateProps = {
  /** In a sentence: "The refusals". */
  what: string
  /** Lines of the placeholder: about the final height. */
  lines?: number
  /** What still works if this fails; that awards do, if absent. */
  unaffected?: string
}

/** The content once it is loaded; until then and after a failure, what a person needs to know. */
export function whenLoaded<T>(loaded: Loaded<T>, props: StateProps, show: (data: T) => Content): Content {
  const { data, problem } = loaded
  return html`${problem !== null && failed(loaded, problem, props)}
  ${data !== null ? show(data) : problem === null && waiting(loaded, props)}`
}

function waiting<T>({ waiting: how, cancel }: Loaded<T>, { lines = 4, what }: StateProps): Content {
  if (how === 'not' || how === 'shortly')
    return html`<div class="body" style=${{ minHeight: `${lines * 1.6}rem` }}></div>`
  return html`<div class="body stack" role="status">
    <span class="vh">Loading</span>
    ${Array.from(
      { length: lines },
      (_, line) => html`<div class="bone" style=${{ width: `${92 - ((line * 23) % 50)}%` }}></div>`,
    )}
    ${
      how === 'long' &&
      html`<p class="soft">
        Still loading ${what.charAt(0).toLowerCase()}${what.slice(1)}.
        <button type="button" class="sm" onClick=${cancel}>Cancel</button>
      </p>`
    }
  </div>`
}

function failed<T>(
  { at, reload }: Loaded<T>,
  problem: ApiProblem,
  { what, unaffected = 'Awards and the ledger are not affected.' }: StateProps,
): Content {
  return html`<div class="body">
    ${problemNote({
      title:
        problem.status === 403 ? `${what}: your role may not read this.` : `${what} could not be loaded.`,
      problem,
      unaffected,
      lastLoaded: at,
      ...(problem.status === 403 ? {} : { onTryAgain: reload }),
    })}
  </div>`
}

type ProblemNoteProps = {
  /** What failed. */
  title: string
  problem: ApiProblem
  unaffected?: string
  lastLoaded?: number | null
  onTryAgain?: () => void
}

/** What failed, what is not affected, the request ID, and what can be done. */
export function problemNote(props: ProblemNoteProps) {
  return h(ProblemNote, props)
}

function ProblemNote({
  title: failure,
  problem,
  unaffected,
  lastLoaded = null,
  onTryAgain,
}: ProblemNoteProps) {
  const [isCopied, setCopied] = useState(false)
  const { message, requestId, code } = problem
  const title = code === 'CHANGE_PENDING' ? 'The change is made, but not yet in force everywhere.' : failure
  const details = `${title} ${message} (${code}${requestId === null ? '' : `, request ${requestId}`})`
  const copy = async () => {
    await copyText(details)
    setCopied(true)
  }
  return note(
    {
      kind: 'error',
      title,
      actions: html`
        ${onTryAgain !== undefined && html`<button type="button" onClick=${onTryAgain}>Try again</button>`}
        <button type="button" onClick=${copy}>${isCopied ? 'Copied' : 'Copy details'}</button>
      `,
    },
    html`<bdi>${sentence(message)}</bdi>${unaffected !== undefined && ` ${unaffected}`}`,
    html`<p class="small soft">
      ${lastLoaded !== null && html`Last loaded ${time(new Date(lastLoaded).toISOString())}. `}
      ${requestId !== null && html`Request ID <code>${requestId}</code>`}
    </p>`,
  )
}

/** The service writes details without a capital and without a full stop. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
