import { existsSync } from 'node:fs'
import type { OperatorSessions } from '../../operator/access/operator-store.ts'
import { operatorSessions } from '../operator-sessions.ts'
import { asUnavailable } from './database.ts'
import { OperatorFile, operatorFileOf } from './follower/operator-file.ts'
import { readableRows } from './follower/readable-rows.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/**
 * In the operator's file, on a connection of its own: the follower and this one take turns. It blocks its thread, which must
 * not be the one that serves awards.
 */
export function openOperatorSessions(path: string, warn: (message: string) => void): OperatorSessions {
  const file = new OperatorFile(path, { prepare: (database) => database, warn })
  return operatorSessions(
    async (sql, values) => {
      try {
        return file.use((database) =>
          readableRows(operatorFileOf(path), () =>
            prepareNumbered(database, sql)
              .all(...values)
              .map((row) => ({ ...row })),
          ),
        )
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    async () => file.close(),
  )
}

export function hasOperatorFile(path: string): boolean {
  return existsSync(operatorFileOf(path))
}
