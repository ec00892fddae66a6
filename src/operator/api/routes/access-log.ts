import { Type } from 'typebox'
import { isoTime } from '../../../rules/iso-time.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { type ApiRoute, route } from '../route.ts'
import { accessKind, accessLog } from '../schemas/records.ts'
import { exact } from '../schemas/values.ts'

/** `routes`: of which the log says what they do. */
export const accessLogRoutes = (routes: () => readonly ApiRoute[]) => [
  route({
    method: 'GET',
    path: '/access-log',
    tag: 'Records',
    summary: 'Who read personal data, signed in, or was denied something',
    description:
      'Newest first. It is bounded: old rows are deleted. Changes of settings are in the audit trail.',
    needs: 'access-log.read',
    query: exact({
      kind: Type.Optional(accessKind),
      actor: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only of this actor: `operator:mai`.' }),
      ),
      ...pageParameters,
    }),
    response: accessLog,
    async handle({ query, parts }) {
      const [before] = readCursor('access-log', query.cursor, ['number']) ?? [undefined]
      const limit = limitOf(query)
      const sessions = await parts.sessions()
      const rows = await sessions.accessLog({
        before,
        kind: query.kind,
        actor: query.actor,
        limit: limit + 1,
      })
      const summaries = new Map(routes().map(({ method, path, summary }) => [`${method} ${path}`, summary]))
      const items = rows.slice(0, limit).map(({ accessId: _, at, ...row }) => ({
        ...row,
        at: isoTime(at, 'access_log'),
        summary: summaries.get(row.action) ?? null,
      }))
      const last = rows[limit - 1]
      const hasMore = last !== undefined && rows.length > limit
      return { body: { items, nextCursor: hasMore ? writeCursor('access-log', [last.accessId]) : null } }
    },
  }),
]
