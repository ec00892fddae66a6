import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Api, type ApiProblem, apiStart } from '../api-client.ts'
import { textField } from '../components/field.ts'
import { note } from '../components/note.ts'
import { problemNote } from '../components/states.ts'
import { useTitle } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'
import { type SignedIn, type SignedOut, signIn } from '../session.ts'

type SignInProps = { api: Api; signedOut: SignedOut; onSignedIn(session: SignedIn): void }

/** Who are you? Shown in place of any page, so that the URL stays what it was. */
export function SignInPage(props: SignInProps) {
  useTitle('Sign in')
  return html`<main class="signin" id="content">
    <div class="card">
      <h1>Partner Credit</h1>
      <p class="soft">Operator console</p>
      ${props.signedOut.needsFirstAccount ? firstAccount() : h(SignInForm, props)}
    </div>
    <p class="hint">
      Programs find <a href="/readyz" data-outside>/readyz</a>, <a href="/livez" data-outside>/livez</a> and
      <a href="/metrics" data-outside>/metrics</a> on this port.
    </p>
  </main>`
}

function firstAccount() {
  return html`<div class="stack alone">
    ${note(
      { kind: 'info', title: 'Nobody has an account yet.' },
      'Create the first one where the database is, then come back and sign in.',
    )}
    <pre tabindex="0">partner-credit operator create --name you@example.com --role admin</pre>
    <button type="button" class="main" onClick=${() => location.reload()}>Check again</button>
  </div>`
}

/** Also inside the dialog that appears when a session has ended. */
export function SignInForm({ api, signedOut, onSignedIn }: SignInProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const pause = useCountdown(problem)
  async function submit(event: Event) {
    event.preventDefault()
    setRunning(true)
    setProblem(null)
    try {
      onSignedIn(await signIn(api, { name: name.trim(), password }))
    } catch (error) {
      setPassword('')
      setProblem(problemOf(error))
    }
    setRunning(false)
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
    { kind: 'error', title: `Sign-in is paused for ${seconds} seconds.` },
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
