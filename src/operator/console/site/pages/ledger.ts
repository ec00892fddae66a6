import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AccountList, Verification } from '../api-answers.ts'
import type { ApiProblem } from '../api-client.ts'
import { empty } from '../components/empty.ts'
import { rows } from '../components/figures.ts'
import { mark, stored } from '../components/mark.ts'
import { note } from '../components/note.ts'
import { pageHead } from '../components/page-head.ts'
import { body, panel } from '../components/panel.ts'
import { partnerName } from '../components/partner-name.ts'
import { progress } from '../components/progress.ts'
import { problemNote, whenLoaded } from '../components/states.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useConsole, useMay, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { problemOf, useGet } from '../load.ts'
import { olderButton, usePages } from '../load-pages.ts'
import { actorName } from '../words/audited.ts'
import { counted, grouped, shortened } from '../words/numbers.ts'
import { duration } from '../words/times.ts'

/** While a verification runs, its progress is asked for this often. */
const progressEveryMs = 1_000

/** Is the ledger sound? Verification with its progress, earlier runs, and the head of every account. */
export function LedgerPage() {
  useTitle('Ledger')
  const { api } = useConsole()
  const mayStart = useMay('verification.start')
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const verification = useGet<Verification>('/verification', { everyMs: isRunning ? progressEveryMs : null })
  const { data, reload } = verification
  useEffect(() => setRunning(data?.current != null), [data])
  const start = () => {
    if (data === null || data.current !== null) return
    api.send('POST', '/verification').then(
      () => {
        setProblem(null)
        reload()
      },
      (error: unknown) => setProblem(problemOf(error)),
    )
  }
  return html`
    ${pageHead({
      title: 'Ledger',
      facts: data === null ? '' : lastSound(data),
      actions:
        mayStart &&
        html`<button type="button" class="main" aria-disabled=${String(data === null || data.current !== null)} onClick=${start}>
          ${data?.current ? 'Verification is running' : 'Start verification'}
        </button>`,
    })}
    ${data !== null && stillNotSound(data)}
    ${problem !== null && problemNote({ title: 'The verification was not started.', problem })}
    ${panel(
      { title: 'Verification', side: 'recomputes every entry, total, cap and hash' },
      whenLoaded(verification, { what: 'The verification', lines: 5 }, (state) => currentRun(state)),
    )}
    ${
      data !== null &&
      data.earlier.length > 0 &&
      panel({ title: 'Earlier runs', side: 'started from the console on this node' }, earlierRuns(data))
    }
    ${h(AccountHeads, {})}
  `
}

function lastSound({ verifiedAt }: Verification) {
  return verifiedAt === null
    ? 'Not verified yet, or not on record.'
    : html`Last found sound: ${time(verifiedAt, { withUtc: true })}`
}

/** Found by a command, or by a run whose result is not the last one shown below. */
function stillNotSound({ notSoundAt, earlier }: Verification) {
  if (notSoundAt === null || earlier[0]?.state === 'not sound') return null
  return note(
    { kind: 'error', title: 'Not sound.' },
    html`A verify found this at ${time(notSoundAt)}. If a verification from here does not clear it, stop the server and run `,
    html`<code>node bin/partner-credit.js verify</code>: it checks more of the file.`,
  )
}

function currentRun({ current, earlier, verifiedAt }: Verification) {
  if (current === null) {
    const [last] = earlier
    if (last === undefined)
      return verifiedAt === null
        ? empty({
            title: 'No verification on record',
            text: 'A verification reads the whole ledger and proves that nothing was changed. It runs in a process of its own and does not delay awards.',
            command: 'node bin/partner-credit.js verify',
          })
        : body(html`<p>Nothing is running. A verification does not delay awards.</p>`)
    return body(html`<div role="status">${resultNote(last)}</div>`)
  }
  const { step, done, secondsLeft, startedAt, startedBy } = current
  const left =
    secondsLeft === null
      ? 'time left not known yet'
      : `about ${duration(secondsLeft * 1_000)} left in this step`
  return body(
    progress({ done, label: 'Progress of the verification', text: html`${step}, ${left}` }),
    rows([['Started', html`${time(startedAt)} by ${stored(actorName(startedBy).name)}`]]),
  )
}

type Run = Verification['earlier'][number]

function resultNote({ state, entries, accounts, userDays, problem, endedAt, startedAt }: Run) {
  if (state === 'sound')
    return note(
      { kind: 'success', title: 'Sound.' },
      `${counted(entries, 'entry', 'entries')} in ${counted(accounts, 'account')}, ${counted(userDays, 'user day')}: chains, points, totals, caps, counters and the audit trail hold.`,
      html` <span class="soft">Ended ${time(endedAt ?? startedAt)}.</span>`,
    )
  const title = state === 'not sound' ? 'Not sound.' : 'The verification failed.'
  return note({ kind: 'error', title }, html`<bdi>${problem}</bdi>`)
}

function earlierRuns({ earlier }: Verification) {
  const marks = {
    sound: () => mark('good', 'Sound'),
    'not sound': () => mark('bad', 'Not sound'),
    failed: () => mark('attention', 'Failed'),
    running: () => mark('inactive', 'Running'),
  }
  return table({
    caption: 'Earlier verifications',
    columns: [
      { head: 'Started', keepsLine: true },
      { head: 'By' },
      { head: 'Took', isNumber: true },
      { head: 'Entries', isNumber: true },
      { head: 'Result' },
      { head: 'What is wrong' },
    ],
    rows: earlier.map(({ startedAt, startedBy, endedAt, entries, state, problem }) => ({
      key: startedAt,
      cells: [
        time(startedAt),
        stored(actorName(startedBy).name),
        endedAt === null ? '–' : duration(Date.parse(endedAt) - Date.parse(startedAt)),
        grouped(entries),
        marks[state](),
        problem === null ? '–' : stored(problem),
      ],
    })),
  })
}

function AccountHeads() {
  const pages = usePages<AccountList>('/accounts')
  return panel(
    {
      title: 'Account heads',
      side: 'publish a hash today, and nobody can change the past tomorrow',
      ...(pages.cursor === null ? {} : { footer: olderButton(pages, 'Load more accounts') }),
    },
    whenLoaded(pages.first, { what: 'The accounts', lines: 5 }, () => {
      const accounts = pages.all.flatMap(({ items }) => items)
      if (accounts.length === 0)
        return empty({
          title: 'No accounts yet',
          text: 'An account begins with the first award of a partner in a tenant.',
        })
      return table({
        caption: 'Accounts and the hash of their last entry',
        columns: [
          { head: 'Account' },
          { head: 'Entries', isNumber: true },
          { head: 'Last entry', keepsLine: true },
          { head: 'Head hash' },
        ],
        rows: accounts.map(({ partnerId, tenantId, sandbox, entries, lastAwardAt, headHash }) => ({
          key: `${partnerId} ${tenantId}`,
          cells: [
            html`${partnerName(partnerId)} / ${stored(tenantId)}${sandbox && html` ${mark('inactive', 'Sandbox')}`}`,
            grouped(entries),
            time(lastAwardAt),
            html`<code title=${headHash}>${shortened(headHash, 24)}</code>`,
          ],
        })),
      })
    }),
  )
}
