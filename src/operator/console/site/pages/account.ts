import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api-client.ts'
import { textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { note } from '../components/note.ts'
import { pageHead } from '../components/page-head.ts'
import { body, grid, panel } from '../components/panel.ts'
import { problemNote } from '../components/states.ts'
import { time } from '../components/time.ts'
import { useConsole, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'
import { counted } from '../words/numbers.ts'
import { h } from 'preact'

/** What everybody may do with their own account, whatever their role: another password, and ending all sessions. */
export function AccountPage() {
  useTitle('Your account')
  const { operator, endsAt } = useConsole().session
  return html`
    ${pageHead({
      title: 'Your account',
      facts: html`${stored(operator.operatorId)} · ${operator.role} · this session ends ${time(endsAt)} at the latest`,
    })}
    ${grid(h(PasswordPanel, {}), h(SessionsPanel, {}))}
  `
}

function PasswordPanel() {
  const { api, session, tell, renewSession } = useConsole()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const change = async (event: Event) => {
    event.preventDefault()
    setProblem(null)
    try {
      await api.send('POST', '/session/password', { current, password: next })
      await renewSession()
      setCurrent('')
      setNext('')
      tell('Your password is changed. Your other sessions have ended.')
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  const password = (id: string, label: string, autocomplete: string) => ({
    id,
    label,
    isRequired: true,
    attributes: { type: 'password', autocomplete },
  })
  return panel(
    { title: 'Password', columns: 6 },
    body(
      session.method === 'oidc' &&
        html`<p class="spaced">
          You have signed in with OpenID Connect. This is about the password of your account here, if it has one.
        </p>`,
      problem !== null && failure(problem),
      html`<form class="own" onSubmit=${change}>
        <input type="text" autocomplete="username" value=${session.operator.operatorId} readonly hidden />
        ${textField({ ...password('own-current', 'Current password', 'current-password'), value: current, onInput: setCurrent })}
        ${textField({
          ...password('own-next', 'New password', 'new-password'),
          value: next,
          onInput: setNext,
          hint: '12 to 200 characters. Your other sessions end.',
        })}
        <div class="acts"><button class="main" disabled=${current === '' || next === ''}>Change password</button></div>
      </form>`,
    ),
  )
}

function failure(problem: ApiProblem) {
  if (problem.code !== 'SIGN_IN_FAILED') return problemNote({ title: 'Nothing was changed.', problem })
  return note({ kind: 'error', title: 'Nothing was changed.' }, 'The current password is wrong.')
}

function SessionsPanel() {
  const { api, renewSession } = useConsole()
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const signOut = async () => {
    try {
      const { ended } = await api.send<{ ended: number }>('DELETE', '/session/everywhere')
      await renewSession(`You are signed out everywhere: ${counted(ended, 'session')} ended.`)
    } catch (error) {
      setProblem(problemOf(error))
    }
  }
  return panel(
    { title: 'Sessions', columns: 6 },
    body(
      problem !== null && problemNote({ title: 'No session was ended.', problem }),
      html`<p class="spaced">
        If you have left yourself signed in somewhere, end all of your sessions. This one ends, too, and you sign in again.
      </p>`,
      html`<button type="button" onClick=${signOut}>Sign out everywhere</button>`,
    ),
  )
}
