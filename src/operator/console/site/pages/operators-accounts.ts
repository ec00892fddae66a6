import type { OperatorList } from '../api-answers.ts'
import { mark, stored } from '../components/mark.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'
import { waysIn } from '../words/ways-in.ts'
import type { OperatorAction, ShownOperator } from './operators-dialogs.ts'

type Begin = (action: OperatorAction) => void

/** Every account. `begin` is null for those who may only look. */
export function operatorsTable({ operators, provider }: OperatorList, begin: Begin | null) {
  return table({
    caption: 'Operators',
    columns: [
      { head: 'Operator' },
      { head: 'Role' },
      { head: 'Signs in with' },
      { head: 'Last sign-in', keepsLine: true },
      { head: 'Sessions', isNumber: true },
      { head: 'State' },
      { head: 'Actions', isHeadHidden: true },
    ],
    rows: operators.map((operator) => ({
      key: operator.operatorId,
      cells: [
        stored(operator.operatorId),
        operator.role,
        waysIn(operator, provider),
        time(operator.lastSignIn),
        grouped(operator.sessions.length),
        operator.status === 'active' ? mark('good', 'Active') : mark('inactive', 'Disabled'),
        begin !== null && actionsOf(operator, begin),
      ],
    })),
  })
}

function actionsOf(operator: ShownOperator, begin: Begin) {
  const isActive = operator.status === 'active'
  const button = (kind: 'role' | 'reset' | 'disable', name: string) => html`<button
    type="button"
    class="sm"
    onClick=${() => begin({ kind, operator })}
  >
    ${name} <span class="vh">${operator.operatorId}</span>
  </button>`
  return html`<span class="acts">
    ${isActive && button('role', 'Change role')} ${button('reset', isActive ? 'Reset password' : 'Enable')}
    ${isActive && button('disable', 'Disable')}
  </span>`
}
