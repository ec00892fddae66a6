import { useState } from 'preact/hooks'
import type { ExplainedRefusal, Forecast } from '../api-answers.ts'
import type { ApiProblem } from '../api-client.ts'
import { rolesWith } from '../../../access/permissions.ts'
import { rows } from '../components/figures.ts'
import { textField } from '../components/field.ts'
import { mark } from '../components/mark.ts'
import { body, panel } from '../components/panel.ts'
import { problemNote } from '../components/states.ts'
import { useConsole, useMay } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'
import { refusalPath } from '../words/find-links.ts'
import { dependsOnUser, sendAgain } from '../words/send-again.ts'
import { attempts } from './attempts.ts'

type SendAgainProps = { explained: ExplainedRefusal; orderId: string | null; now: number }

/**
 * What would happen if the award were sent again. The journal does not keep whose award it was, so the operator can say it:
 * the address goes into no URL, and that it was asked for is in the access log.
 */
export function SendAgain({ explained, orderId, now }: SendAgainProps) {
  const { api } = useConsole()
  const [email, setEmail] = useState('')
  const [toUser, setToUser] = useState<Forecast | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const mayName = useMay('personal.read')
  const { refusal, attempts: all } = explained

  async function ask(event: Event) {
    event.preventDefault()
    if (email.trim() === '') return
    const path = refusalPath(refusal, '/now')
    try {
      setToUser(await api.send<Forecast>('POST', path, { email: email.trim() }))
      setProblem(null)
    } catch (error) {
      setToUser(null)
      setProblem(problemOf(error))
    }
  }
  const outlook = sendAgain(explained, now, toUser)
  return panel(
    { title: 'If it were sent again', columns: 5 },
    body(
      html`<div aria-live="polite">
        ${
          outlook.length === 0
            ? html`<p class="soft">Whether it would be accepted depends on the request itself.</p>`
            : outlookRows(outlook, refusal.partnerId)
        }
      </div>`,
      dependsOnUser(explained) &&
        (mayName
          ? html`<form onSubmit=${ask}>
              ${textField({
                label: "The user's address",
                id: 'refused-user',
                value: email,
                onInput: (text) => {
                  setEmail(text)
                  setToUser(null)
                },
                hint: 'To see whether it fits now. That you asked is recorded in the access log.',
                attributes: {
                  type: 'text',
                  inputMode: 'email',
                  autocomplete: 'off',
                  spellcheck: false,
                  maxlength: 320,
                },
              })}
              <div class="acts alone"><button class="sm" type="submit">Check for this user</button></div>
              ${problem !== null && problemNote({ title: 'It could not be checked.', problem })}
            </form>`
          : html`<p class="small soft">Operators with the role ${rolesWith('personal.read').join(' or ')} can check it for a user.</p>`),
      html`<h3>Attempts for this order</h3>`,
      attempts(all, orderId, refusal),
    ),
  )
}

function outlookRows(outlook: ReturnType<typeof sendAgain>, partnerId: string) {
  const fits = (is: boolean | null) =>
    is === null ? mark('inactive', 'Unknown') : is ? mark('good', 'Fits') : mark('bad', 'Refused')
  const capsOfPartner = `/partners/${encodeURIComponent(partnerId)}#caps`
  return rows(
    outlook.map(({ when, fits: is, text, isCap }) => [
      when,
      html`${fits(is)} <span class="soft">${text}</span>${
        isCap && html` <a href=${capsOfPartner}>Back-test a change</a>`
      }`,
    ]),
  )
}
