/** The stages of one award, from the first byte of a request to the last of its response, in that order. */
export const stages = [
  'read: sockets, HTTP, framework',
  'key: find it in memory',
  'HMAC: check the signature',
  'validation: JSON and fields',
  'queue: waiting for a commit',
  'transfer to the writer and back',
  'decide: rules and entry hash',
  'SQL: facts and entries',
  'COMMIT: log write and fsync',
  'response: framework, HTTP, sockets',
  'log line',
  'journal: what the service saw',
  'checkpoint: log into the database',
  'garbage collection',
  'the rest',
] as const
export type Stage = (typeof stages)[number]

/** A function on the stack, as the profiler reports it. */
export type Frame = { functionName: string; url: string }

/** The innermost frame that one of these matches determines the stage. */
const rules: [RegExp, Stage][] = [
  [/^\(garbage collector\)/, 'garbage collection'],
  [/pino|sonic-boom|request-log/, 'log line'],
  [/src\/journal|http\/journal-response|sqlite\/(follower|journal)/, 'journal: what the service saw'],
  [/src\/access\/signature|shortcuts\/hmac-key/, 'HMAC: check the signature'],
  [/src\/access|src\/http\/caller/, 'key: find it in memory'],
  [
    /src\/rules\/(decide|facts|entry|replay|caps|points|vietnam-day)|shortcuts\/field-digest/,
    'decide: rules and entry hash',
  ],
  [/src\/rules/, 'validation: JSON and fields'],
  [/src\/ledger|shortcuts\/waiting-line/, 'queue: waiting for a commit'],
  [/sqlite\/threads\/checkpointer/, 'checkpoint: log into the database'],
  [/^inTransaction .*sqlite\/database/, 'COMMIT: log write and fsync'],
  [
    /src\/stores\/(sqlite\/(commit|batch-facts|batch-write|database|known-accounts)|entry-row|grant-row)/,
    'SQL: facts and entries',
  ],
  [
    /src\/stores|shortcuts\/batch-text|messageport|worker_threads|internal\/worker/,
    'transfer to the writer and back',
  ],
  [/fastify\/lib\/reply|_http_outgoing/, 'response: framework, HTTP, sockets'],
]

/** Sockets and streams are used in both directions: they count as reading if no outer frame determines a stage. */
const ways =
  /fastify|find-my-way|src\/wire|src\/http|src\/shortcuts|_http_|node:net|streams|stream_base|node:buffer/

export function stageOf(stack: Frame[]): Stage {
  const texts = stack.map(({ functionName, url }) => `${functionName} ${url}`)
  for (const text of texts) {
    const known = rules.find(([pattern]) => pattern.test(text))
    if (known !== undefined) return known[1]
  }
  return texts.some((text) => ways.test(text)) ? 'read: sockets, HTTP, framework' : 'the rest'
}
