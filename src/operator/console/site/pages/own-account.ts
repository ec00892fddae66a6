import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api-client.ts'
import { textField } from '../components/field.ts'
import { stored } from '../components/mark.ts'
import { body, panel } from '../components/panel.ts'
import { problemNote } from '../components/states.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'

/** What everybody may do with their own account: another password, and ending all sessions. */
export function OwnAccount() {
  const { api, session } = useConsole()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  /** The session is another one afterwards: the console starts again with it. */
  const thenStartAgain = (change: Promise<unknown>): void => {
    change.then(
      () => location.reload(),
      (error: unknown) => setProblem(problemOf(error)),
    )
  }
  const change = (event: Event) => {
    event.preventDefault()
    thenStartAgain(api.send('POST', '/session/password', { current, password: next }))
  }
  const password = (id: string, label: string, autocomplete: string) => ({
    id,
    label,
    isRequired: true,
    attributes: { type: 'password', autocomplete },
  })
  return panel(
    { title: html`Your account: ${stored(session.operator.operatorId)}`, side: session.operator.role },
    body(
      problem !== null && problemNote({ title: 'Nothing was changed.', problem }),
      html`<form class="own" onSubmit=${change}>
        <input type="text" autocomplete="username" value=${session.operator.operatorId} readonly hidden />
        ${textField({ ...password('own-current', 'Current password', 'current-password'), value: current, onInput: setCurrent })}
        ${textField({
          ...password('own-next', 'New password', 'new-password'),
          value: next,
          onInput: setNext,
          hint: '12 to 200 characters. Your other sessions end.',
        })}
        <div class="acts">
          <button disabled=${current === '' || next === ''}>Change password</button>
          <button type="button" onClick=${() => thenStartAgain(api.send('DELETE', '/session/everywhere'))}>
            Sign out everywhere
          </button>
        </div>
      </form>`,
    ),
  )
}
