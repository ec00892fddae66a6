import pg from 'pg'
import type { FaultPoint, Faults } from './deployment.ts'

/** The statements of a batch, by how their SQL begins. */
const statements: [name: string, sql: RegExp][] = [
  ['BEGIN', /^BEGIN/],
  ['lock accounts', /^SELECT account\.\*/],
  ['make account', /^INSERT INTO accounts .* DO NOTHING/s],
  ['select grants', /^SELECT .* granted\.\*/s],
  ['lock user days', /^SELECT counter\.\*/],
  ['select known', /^SELECT known\.\*/],
  ['insert entries', /^INSERT INTO entries/],
  ['insert user days', /^INSERT INTO user_days (?!.*ON CONFLICT)/s],
  ['update user days', /^INSERT INTO user_days .* SET points = excluded/s],
  ['update accounts', /^INSERT INTO accounts .* SET seq = excluded/s],
  ['drop account', /^DELETE FROM accounts/],
  ['drop user days', /^DELETE FROM user_days/],
  ['write audit row', /^INSERT INTO audit/],
  ['ROLLBACK', /^ROLLBACK/],
  ['COMMIT', /^COMMIT/],
]

/** What happens to a statement and to its connection. */
const fates = ['is not sent', 'is sent, then the line is cut', 'is answered, then the line is cut'] as const
const refusal = 'is refused'
type Fate = (typeof fates)[number] | typeof refusal
type Point = FaultPoint & { statement: string; fate: Fate }

/** A refused statement fails its transaction. COMMIT and ROLLBACK are not refused in this way. */
export const postgresPoints: Point[] = statements.flatMap(([statement]) =>
  [...fates, ...(/COMMIT|ROLLBACK/.test(statement) ? [] : ([refusal] as const))].map((fate) => ({
    name: `${statement} ${fate}`,
    isCostly: false,
    statement,
    fate,
  })),
)

const refuse = "DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '40001'; END $$"

type Client = pg.Client & { connection: { stream: import('node:net').Socket } }
type Query = (this: Client, config: unknown, ...rest: unknown[]) => Promise<pg.QueryResult>

let armed: (Point & { passings: number }) | null = null
let fired: string | null = null
let broken = false
/** The open connections of each node, by what its URL has in `options`. */
const connections = new Map<string, Set<Client>>()

export const postgresFaults: Faults = {
  arm(point, passings) {
    armed = { ...postgresPoints[point]!, passings }
  },
  disarm() {
    const happened = fired
    armed = null
    fired = null
    return happened
  },
}

/** From now on the driver's statements can be made to fail, in this process. */
export function breakPostgres(): void {
  if (broken) return
  broken = true
  const query = pg.Client.prototype.query as unknown as Query
  const broke: Query = function (config, ...rest) {
    remember(this)
    const point = armed
    const text = typeof config === 'string' ? config : (config as { text?: string }).text
    if (point === null || text === undefined || nameOf(text) !== point.statement) {
      return query.call(this, config, ...rest)
    }
    if (point.passings-- > 0) return query.call(this, config, ...rest)
    armed = null
    fired = point.name
    const { stream } = this.connection
    switch (point.fate) {
      case 'is not sent':
        stream.destroy()
        return query.call(this, config, ...rest)
      case 'is sent, then the line is cut': {
        const answer = query.call(this, config, ...rest)
        // The server receives what was written and then the end of the connection; its reply is lost.
        stream.removeAllListeners('data').resume().end()
        return answer
      }
      case 'is answered, then the line is cut':
        return query.call(this, config, ...rest).then(() => {
          stream.destroy()
          throw new Error('the line was cut')
        })
      case 'is refused':
        return query.call(this, refuse)
    }
  }
  pg.Client.prototype.query = broke as unknown as typeof pg.Client.prototype.query
}

function remember(client: Client): void {
  const { options } = (client as unknown as { connectionParameters: { options?: string } })
    .connectionParameters
  if (!options) return
  const own = connections.get(options) ?? new Set()
  connections.set(options, own)
  if (own.has(client)) return
  own.add(client)
  client.once('end', () => own.delete(client))
}

/** Cuts every connection of a node. */
export function cutConnections(options: string): void {
  for (const { connection } of connections.get(options) ?? []) connection.stream.destroy()
}

function nameOf(sql: string): string | null {
  const text = sql.trimStart()
  return statements.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}
