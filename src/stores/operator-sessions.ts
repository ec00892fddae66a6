import { aheadMaxMs } from '../operator/access/identify.ts'
import type {
  AccessEvent,
  AccessRow,
  Failures,
  LastUse,
  OperatorSessions,
  Session,
} from '../operator/access/operator-store.ts'
import { columns } from './columns.ts'
import { createRetentionTime, olderThan, type Reached, retentionStatements } from './retention-time.ts'

/** Runs one statement. */
type Run = (sql: string, values: (string | number | null)[]) => Promise<Record<string, unknown>[]>

const sessionSelection = columns<Session>(
  'sessionId',
  'operatorId',
  'method',
  'address',
  'userAgent',
  'createdAt',
  'usedAt',
)
const useSelection = columns<LastUse>('subject', 'at', 'address')
const accessSelection = columns<AccessRow>(
  'accessId',
  'at',
  'kind',
  'actor',
  'address',
  'action',
  'subject',
  'requestId',
)

/** An operator who signs in again and again, and never out, has the newest of these sessions. */
const sessionsPerOperator = 20

const dayMs = 86_400_000
/** Longer than a session can last, and than failures count. */
const sessionDays = 1
const lastUseDays = 400
const accessLogDays = 180
/** Of each kind: so a flood of denied requests does not push out who read personal data. */
const accessRowsPerKind = 100_000

/**
 * The same statements on both stores, each a transaction of its own. What decides on what it has read compares it again when
 * it writes, so that several processes can do it at once.
 */
export function operatorSessions(run: Run, close: () => Promise<void>): OperatorSessions {
  const retentionTime = createRetentionTime()
  return {
    async begin({ sessionId, operatorId, method, address, userAgent, createdAt, usedAt }) {
      await run(insertSession, [sessionId, operatorId, method, address, userAgent, createdAt, usedAt])
      await run(dropOtherSessions, [operatorId, sessionId, createdAt + aheadMaxMs])
    },
    async session(sessionId) {
      const [row] = await run(`SELECT ${sessionSelection} FROM operator_sessions WHERE session_id = $1`, [
        sessionId,
      ])
      return (row as Session | undefined) ?? null
    },
    sessions: async () =>
      (await run(
        `SELECT ${sessionSelection} FROM operator_sessions ORDER BY operator_id, created_at`,
        [],
      )) as Session[],
    async touch(sessionId, at, unlessSince) {
      await run('UPDATE operator_sessions SET used_at = $2 WHERE session_id = $1 AND used_at <= $3', [
        sessionId,
        at,
        unlessSince,
      ])
    },
    async end(sessionId) {
      await run('DELETE FROM operator_sessions WHERE session_id = $1', [sessionId])
    },
    async endAll(operatorId, except = '') {
      const ended = await run(
        'DELETE FROM operator_sessions WHERE operator_id = $1 AND session_id <> $2 RETURNING session_id',
        [operatorId, except],
      )
      return ended.length
    },

    lastUses: async () => (await run(`SELECT ${useSelection} FROM operator_last_uses`, [])) as LastUse[],
    async noteUse({ subject, at, address }, unlessSince) {
      await run(putUse, [subject, at, address, unlessSince])
    },

    async failures(subject) {
      const [row] = await run('SELECT failures, at FROM operator_failures WHERE subject = $1', [subject])
      return (row as Failures | undefined) ?? null
    },
    async putFailures(subject, before, { failures, at }) {
      const written =
        before === null
          ? await run(insertFailures, [subject, failures, at])
          : await run(updateFailures, [subject, failures, at, before.failures, before.at])
      return written.length === 1
    },
    async forgetFailures(subject) {
      await run('DELETE FROM operator_failures WHERE subject = $1', [subject])
    },

    async recordAccess(event) {
      await run(insertAccess, accessValues(event))
    },
    accessLog: async ({ before, kind, actor, limit }) =>
      (await run(selectAccess, [
        before ?? Number.MAX_SAFE_INTEGER,
        kind ?? '',
        actor ?? '',
        limit,
      ])) as AccessRow[],

    async tidy(at) {
      const [stored] = (await run(retentionStatements.reached, [olderThan(at)])) as [Reached]
      const now = retentionTime(at, stored)
      if (now !== stored.reached) await run(retentionStatements.put, [now])
      await run('DELETE FROM operator_sessions WHERE created_at < $1', [now - sessionDays * dayMs])
      await run('DELETE FROM operator_failures WHERE at < $1', [now - sessionDays * dayMs])
      await run('DELETE FROM operator_last_uses WHERE at < $1', [now - lastUseDays * dayMs])
      await run('DELETE FROM access_log WHERE at < $1', [now - accessLogDays * dayMs])
      for (const { kind } of await run('SELECT DISTINCT kind FROM access_log', []))
        await run(dropOldAccess, [kind as string])
    },
    close,
  }
}

const insertSession = `
  INSERT INTO operator_sessions (session_id, operator_id, method, address, user_agent, created_at, used_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

/** Never the one that has just begun, whatever the clock said when the others did. */
const dropOtherSessions = `
  DELETE FROM operator_sessions WHERE operator_id = $1 AND session_id <> $2 AND session_id NOT IN (
    SELECT session_id FROM operator_sessions WHERE operator_id = $1 AND session_id <> $2 AND created_at <= $3
    ORDER BY created_at DESC, session_id LIMIT ${sessionsPerOperator - 1})`

/** Also if a clock that was far ahead wrote the last one: it would stay until then. */
const putUse = `
  INSERT INTO operator_last_uses (subject, at, address) VALUES ($1, $2, $3)
  ON CONFLICT (subject) DO UPDATE SET at = excluded.at, address = excluded.address
  WHERE operator_last_uses.at <= $4 OR operator_last_uses.at > excluded.at + ${aheadMaxMs}`

const insertFailures = `
  INSERT INTO operator_failures (subject, failures, at) VALUES ($1, $2, $3)
  ON CONFLICT (subject) DO NOTHING RETURNING subject`

const updateFailures = `
  UPDATE operator_failures SET failures = $2, at = $3 WHERE subject = $1 AND failures = $4 AND at = $5
  RETURNING subject`

const insertAccess = `
  INSERT INTO access_log (at, kind, actor, address, action, subject, request_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

function accessValues({ at, kind, actor, address, action, subject, requestId }: AccessEvent) {
  return [at, kind, actor, address, action, subject, requestId]
}

const selectAccess = `
  SELECT ${accessSelection} FROM access_log
  WHERE access_id < $1 AND kind = coalesce(nullif($2, ''), kind) AND actor = coalesce(nullif($3, ''), actor)
  ORDER BY access_id DESC LIMIT $4`

const dropOldAccess = `
  DELETE FROM access_log WHERE kind = $1 AND access_id <= (
    SELECT access_id FROM access_log WHERE kind = $1
    ORDER BY access_id DESC LIMIT 1 OFFSET ${accessRowsPerKind})`
