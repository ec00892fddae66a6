import { Type } from 'typebox'
import { count, exact, flag, nextCursor, oneOf, orNull, text, time } from './values.ts'

const json = Type.Unknown({
  description: 'JSON, as the audit trail has it. Times are milliseconds since 1970.',
})

const auditedChange = exact({
  auditSeq: count('Number of the row.'),
  at: time('When.'),
  actor: text('Who: `operator:anna`, `token:…`, `cli:root`, `serve`.'),
  origin: text('console, api, command line or service.'),
  address: orNull(text('The machine or network address that the change came from.')),
  action: text('What was done, such as `partner caps`.'),
  subject: text('`partner acme`, `tenant t1`, `defaults`.'),
  reason: orNull(text('Why.')),
  changes: Type.Array(exact({ field: text('Such as `grants.t1.perTx`.'), before: json, after: json })),
  before: json,
  after: json,
  hashMatches: flag('False: the row was changed after it was written.'),
})

export const auditTrail = exact({
  changes: Type.Array(auditedChange, { description: 'Newest first.' }),
  older: count('How many older ones there are.'),
  nextCursor,
})

export const accessKind = oneOf(
  ['read', 'denied', 'sign-in', 'sign-in failed'],
  'read: personal data was read. denied: the role does not allow it, or the request was forged.',
)

const accessRecord = exact({
  at: time('When.'),
  kind: accessKind,
  actor: text('Who.'),
  address: text('The network address that the request came from.'),
  action: text('Method and path of the API, or what happened at sign-in.'),
  summary: orNull(text('What the API does at that path; null for a sign-in, or a path that is gone.')),
  subject: orNull(text("Whose data or what it was about; never a user's address.")),
  requestId: text('The id of the request.'),
})

export const accessLog = exact({
  items: Type.Array(accessRecord, { description: 'Newest first.' }),
  nextCursor,
})

const verificationRun = {
  startedAt: time('When it was started.'),
  startedBy: text('Who started it.'),
  endedAt: orNull(time('When it ended; null while it runs.')),
  state: oneOf(['running', 'sound', 'not sound', 'failed']),
  entries: count('Entries that were verified.'),
  accounts: count('Accounts.'),
  userDays: count('Days of users.'),
  problem: orNull(text('What is wrong with the ledger, or why the run failed; null: nothing.')),
}
const verificationResult = exact(verificationRun)

export const verification = exact({
  current: orNull(
    exact({
      ...verificationRun,
      step: text('What is being done.'),
      done: Type.Number({ minimum: 0, maximum: 1, description: 'Share of this step that is done.' }),
      secondsLeft: orNull(Type.Number({ description: 'Estimate for this step; null: not known yet.' })),
    }),
  ),
  earlier: Type.Array(verificationResult, { description: 'Newest first: at most 20, of this node.' }),
  verifiedAt: orNull(
    time('When the ledger was last found sound, by a command or from here; null: not known.'),
  ),
  notSoundAt: orNull(
    time(
      'When it was found not sound, if nothing has cleared that: only a verification that checks as much does; null: none is known.',
    ),
  ),
})
