import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Api, type ApiProblem, apiStart } from '../api-client.ts'
import { textField } from '../components/field.ts'
import { note } from '../components/note.ts'
import { problemNote } from '../components/states.ts'
import { useTitle } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'
import { counted } from '../words/numbers.ts'
import { createFirstAccount, type SignedIn, type SignedOut, signIn } from '../session.ts'

type SignInProps = { api: Api; signedOut: SignedOut; onSignedIn(session: SignedIn): void }

/** Who are you? Shown in place of any page, so that the URL stays what it was. `why`: why nobody is signed in any more. */
export function SignInPage({ why, ...props }: SignInProps & { why: string | null }) {
  useTitle('Sign in')
  const [{ first, problem }, setSaid] = useState(takeFromHash)
  useEffect(() => {
    // A link that is pasted while this page is open does not load it again.
    const onHash = () => location.hash !== '' && setSaid(takeFromHash())
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  const form = props.signedOut.needsFirstAccount
    ? first === null
      ? noAccount()
      : h(FirstAccount, { ...props, secret: first })
    : h(SignInForm, props)
  return html`<main class="signin" id="content">
    <div class="card">
      <h1>Partner Credit</h1>
      <p class="soft">Operator console</p>
      ${why !== null && html`<div class="alone">${note({ kind: 'success', isNew: true }, why)}</div>`}
      ${problem !== null && html`<div class="alone">${note({ kind: 'error', title: 'You could not be signed in.' }, problem)}</div>`}
      ${form}
    </div>
    <p class="hint">
      Programs find <a href="/readyz" data-outside>/readyz</a>, <a href="/livez" data-outside>/livez</a> and${' '}
      <a href="/metrics" data-outside>/metrics</a> on this port.
    </p>
  </main>`
}

/** What links to this page say behind the `#`, where no proxy sees it. It does not stay in the address bar. */
function takeFromHash(): { first: string | null; problem: string | null } {
  const said = new URLSearchParams(location.hash.slice(1))
  const [first, problem] = [said.get('first'), said.get('problem')]
  if (first !== null || problem !== null) history.replaceState(null, '', location.pathname + location.search)
  return {
    first,
    problem: problem === null ? null : oidcProblems[isKnown(problem) ? problem : 'provider-failed'],
  }
}

/** By the code that the service sends: a link must not be able to put words of its own on this page. */
const oidcProblems = {
  'provider-failed': 'The OpenID provider did not confirm who you are. The access log says why.',
  'not-started-here': 'The sign-in was not started in this browser within the last ten minutes. Try again.',
  busy: 'Too many people are signing in at the moment. Try again.',
  'no-name':
    'The OpenID provider gives no name for an account, or an e-mail address that it has not verified.',
  'no-account': 'You have no account here. Ask an admin for one.',
  'other-person':
    'The account of this name belongs to another person at the OpenID provider. An admin can reset it.',
  'account-disabled': 'Your account is disabled. Ask an admin.',
}

function isKnown(code: string): code is keyof typeof oidcProblems {
  return Object.hasOwn(oidcProblems, code)
}

function noAccount() {
  return html`<div class="stack alone">
    ${note(
      { kind: 'info', title: 'Nobody has an account yet.' },
      'Open the link that the server printed when it started, or create the first account where the database is:',
    )}
    <pre tabindex="0">partner-credit operator create NAME --role admin</pre>
    <button type="button" class="main" onClick=${() => location.reload()}>Check again</button>
  </div>`
}

/** The link of the server's start: whoever has it becomes the first admin. */
function FirstAccount({ api, secret, onSignedIn }: SignInProps & { secret: string }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { isRunning, problem, run } = useAttempt()
  const submit = (event: Event) => {
    event.preventDefault()
    run(async () => onSignedIn(await createFirstAccount(api, { secret, name: name.trim(), password })))
  }
  return html`<form class="stack alone" onSubmit=${submit}>
    ${note({ kind: 'info', title: 'Nobody has an account yet.' }, 'Create the first one. It is an admin.')}
    ${problem !== null && problemNote({ title: 'The account was not created.', problem })}
    ${textField({
      label: 'Name',
      id: 'name',
      value: name,
      onInput: setName,
      isRequired: true,
      hint: 'A short name or an e-mail address. The audit names you by it.',
      attributes: { autocomplete: 'username', spellcheck: false, autocapitalize: 'none' },
    })}
    ${textField({
      label: 'Password',
      id: 'password',
      value: password,
      onInput: setPassword,
      isRequired: true,
      hint: 'At least 12 characters.',
      attributes: { type: 'password', autocomplete: 'new-password', minLength: 12 },
    })}
    <button class="main" disabled=${isRunning}>${isRunning ? 'Creating' : 'Create account'}</button>
  </form>`
}

/** Something that is tried once more after a failure. */
function useAttempt() {
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  function run(work: () => Promise<void>): void {
    setRunning(true)
    setProblem(null)
    work()
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setRunning(false))
  }
  return { isRunning, problem, run }
}

/** Also inside the dialog that appears when a session has ended. */
export function SignInForm({ api, signedOut, onSignedIn }: SignInProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { isRunning, problem, run } = useAttempt()
  const pause = useCountdown(problem)
  const submit = (event: Event) => {
    event.preventDefault()
    setPassword('')
    run(async () => onSignedIn(await signIn(api, { name: name.trim(), password })))
  }
  return html`<form class="stack" onSubmit=${submit}>
    ${pause > 0 ? paused(pause) : problem !== null && wrong(problem)}
    ${textField({
      label: 'E-mail address or name',
      id: 'name',
      value: name,
      onInput: setName,
      isRequired: true,
      attributes: { autocomplete: 'username', spellcheck: false, autocapitalize: 'none' },
    })}
    ${textField({
      label: 'Password',
      id: 'password',
      value: password,
      onInput: setPassword,
      isRequired: true,
      attributes: { type: 'password', autocomplete: 'current-password' },
    })}
    <button class="main" disabled=${pause > 0 || isRunning}>
      ${pause > 0 ? `Sign in (${pause} s)` : isRunning ? 'Signing in' : 'Sign in'}
    </button>
    ${signedOut.provider !== null && withProvider(signedOut.provider)}
    <p class="hint">Lost your password? An administrator can reset it under Operators and tokens.</p>
  </form>`
}

function withProvider(provider: string) {
  const to = encodeURIComponent(`${location.pathname}${location.search}`)
  return html`<div class="or">or</div>
    <a class="btn" data-outside href=${`${apiStart}/oidc/start?to=${to}`}>Sign in with ${provider}</a>`
}

function paused(seconds: number) {
  return note(
    { kind: 'error', title: `Sign-in is paused for ${counted(seconds, 'second')}.` },
    'There were several failed attempts for this account or from your address. Nothing is locked: wait, then try again.',
  )
}

function wrong(problem: ApiProblem) {
  if (problem.status !== 401) return problemNote({ title: 'You could not be signed in.', problem })
  return note({ kind: 'error', title: 'The name or the password is wrong.' }, 'Check both and try again.')
}

/** Seconds until the next attempt is allowed, counting down. */
function useCountdown(problem: ApiProblem | null): number {
  const [left, setLeft] = useState(0)
  useEffect(() => setLeft(problem?.status === 429 ? (problem.retryAfterSeconds ?? 0) : 0), [problem])
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1_000)
    return () => clearTimeout(timer)
  }, [left])
  return left
}
