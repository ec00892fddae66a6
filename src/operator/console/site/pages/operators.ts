import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { OperatorList, TokenList } from '../api-answers.ts'
import type { ApiProblem } from '../api-client.ts'
import { pageHead } from '../components/page-head.ts'
import { body, panel } from '../components/panel.ts'
import { problemNote, whenLoaded } from '../components/states.ts'
import { useConsole, useMay, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { problemOf, useGet } from '../load.ts'
import { operatorsTable } from './operators-accounts.ts'
import { type OperatorAction, OperatorDialog } from './operators-dialogs.ts'
import { sessionsTable } from './operators-sessions.ts'
import { tokensTable } from './operators-tokens.ts'

/** Who has access: operators with their roles and sessions, and tokens for scripts. */
export function OperatorsPage() {
  useTitle('Operators and tokens')
  const { api, tell } = useConsole()
  const mayWrite = useMay('operators.write')
  const mayIssue = useMay('tokens.write')
  const [action, setAction] = useState<OperatorAction | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const operators = useGet<OperatorList>('/operators')
  const tokens = useGet<TokenList>('/tokens')
  const done = (text: string) => {
    setAction(null)
    setProblem(null)
    operators.reload()
    tokens.reload()
    tell(text)
  }
  /** Ends sessions. Nothing is lost by it but a sign-in, so nobody is asked. */
  const endSessions = (path: string, text: string) => {
    api.send('DELETE', path).then(
      () => done(text),
      (error: unknown) => setProblem(problemOf(error)),
    )
  }
  return html`
    ${pageHead({
      title: 'Operators and tokens',
      facts: 'Who has access, and what for.',
      actions: html`
        ${
          mayIssue &&
          html`<button type="button" onClick=${() => setAction({ kind: 'create token' })}>Create token</button>`
        }
        ${
          mayWrite &&
          html`<button type="button" class="main" onClick=${() => setAction({ kind: 'add' })}>Add operator</button>`
        }
      `,
    })}
    ${panel(
      { title: 'Operators', side: html`<a href="/account">Your own password</a>` },
      whenLoaded(operators, { what: 'The operators', lines: 5 }, (list) =>
        operatorsTable(list, mayWrite ? setAction : null),
      ),
    )}
    ${panel(
      { title: 'Open sessions' },
      problem !== null && body(problemNote({ title: 'The session was not ended.', problem })),
      whenLoaded(operators, { what: 'The sessions', lines: 3 }, (list) =>
        sessionsTable(list, mayWrite ? endSessions : null),
      ),
    )}
    ${panel(
      { title: 'API tokens', side: 'for scripts, on /operator/v1' },
      whenLoaded(tokens, { what: 'The tokens', lines: 3 }, (list) =>
        tokensTable(list, mayIssue ? setAction : null),
      ),
    )}
    ${
      action !== null &&
      h(OperatorDialog, {
        action,
        scopes: tokens.data?.scopes ?? [],
        onClose: () => setAction(null),
        onDone: done,
      })
    }
  `
}
