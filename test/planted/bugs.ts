import type { Edit } from './edit.ts'

/** A bug that a developer could have written, and the run that must find it. */
export type PlantedBug = {
  name: string
  edits: Edit[]
  /** One of our programs and its options. It must end with 1, and its output must match. */
  harness: { program: string; args: string[]; says: RegExp }
}

const simulation = { program: 'test/simulation/simulate.ts', args: ['--ops', '20000'] }
const chaos = (scenario: string, ...args: string[]) => ({
  program: 'test/chaos/chaos.ts',
  args: [scenario, ...args],
})

/** Without the index that would stop a second credit, so that the bug before it becomes visible. */
const orderIndexNotUnique: Edit = {
  file: 'src/stores/postgres/migrate.ts',
  find: '  return pending.map',
  replace: `
  if (pending.length > 0) {
    await client.query('ALTER TABLE entries DROP CONSTRAINT entries_by_order')
    await client.query('CREATE INDEX entries_by_order ON entries (partner_id, order_id)')
  }
  return pending.map`,
}

export const plantedBugs: PlantedBug[] = [
  {
    name: 'acknowledge before commit, SQLite',
    edits: [
      {
        file: 'src/stores/sqlite/commit.ts',
        find: `  return (commands: AwardCommand[], now: number): Outcome[] => {
    const decision = inTransaction(database, () => {
      const decision = decideBatch(commands, loadFacts(commands, now), now)
      write(decision)
      return decision
    })
    accounts.keep(decision.accounts)
    return decision.outcomes
  }`,
        replace: `
  let unwritten: BatchDecision | null = null
  const writeNow = () => {
    if (unwritten !== null) inTransaction(database, () => write(unwritten!))
    unwritten = null
  }
  return (commands: AwardCommand[], now: number): Outcome[] => {
    writeNow()
    unwritten = decideBatch(commands, loadFacts(commands, now), now)
    accounts.keep(unwritten.accounts)
    setTimeout(writeNow, 20)
    return unwritten.outcomes
  }`,
      },
    ],
    harness: {
      ...chaos('kill', '--cycles', '20'),
      // The second, if the partner has sent the lost order again before the end.
      says: /I1: .* was acknowledged and is not in the ledger|I3: .* was 202 twice/,
    },
  },
  {
    name: 'acknowledge before commit, PostgreSQL',
    edits: [
      {
        file: 'src/stores/postgres/commit.ts',
        find: '  await commitWrites(client, writeStatements(setup.statements, locked, decision), waitMaxMs)',
        replace:
          '  commitWrites(client, writeStatements(setup.statements, locked, decision), waitMaxMs).catch(() => {})',
      },
    ],
    harness: {
      ...chaos('database', '--rounds', '8'),
      says: /I1: .* was acknowledged and is not in the ledger/,
    },
  },
  {
    name: 'duplicate check outside the transaction',
    edits: [
      orderIndexNotUnique,
      {
        file: 'src/stores/postgres/batch-facts.ts',
        find: '    const statements = [\n      ...first,',
        replace:
          '    const early = allOf(await pipelined(client, [selectKnown(orders)]))[0]!.rows\n    const statements = [\n      ...first,',
      },
      {
        file: 'src/stores/postgres/batch-facts.ts',
        find: 'for (const award of known)',
        replace: 'for (const award of early)',
      },
    ],
    harness: { ...chaos('storms', '--storms', '200'), says: /I2: |I3: / },
  },
  {
    name: 'cap read without lock',
    edits: [
      {
        file: 'src/stores/postgres/many-accounts.ts',
        find: 'AND user_days.day = wanted.day FOR UPDATE',
        replace: 'AND user_days.day = wanted.day OFFSET 0',
      },
    ],
    harness: { ...chaos('caps', '--rounds', '100'), says: /overshoot|verify: / },
  },
  {
    name: 'cap not cumulative inside a batch',
    edits: [
      {
        file: 'src/rules/decide-batch.ts',
        find: 'userDays.get(userDayAt)?.points ?? loaded(',
        replace: 'loaded(',
      },
    ],
    harness: { ...simulation, says: /./ },
  },
  {
    name: 'the loader reads the wrong day',
    edits: [
      {
        file: 'src/stores/sqlite/batch-facts.ts',
        find: 'needed.userDays(facts.accounts, now)',
        replace: 'needed.userDays(facts.accounts, now - 86_400_000)',
      },
    ],
    harness: { ...simulation, says: /has not loaded a user's day/ },
  },
  {
    name: 'the loader takes its guess of the day for right',
    edits: [
      {
        file: 'src/stores/postgres/batch-facts.ts',
        find: '      else guessed.set(key, { account })\n',
        replace: '      else continue\n',
      },
    ],
    harness: {
      ...simulation,
      args: [...simulation.args, '--store', 'postgres', '--shrink', '10'],
      says: /has not loaded a user's day/,
    },
  },
  {
    name: 'counter updated though the entry was skipped',
    edits: [
      {
        file: 'src/rules/decide-batch.ts',
        find: "    if (decision.kind !== 'credit') continue\n",
        replace: `
    if (decision.kind === 'duplicate') {
      const points = used.userDay + decision.original.points
      userDays.set(userDayAt, { tenantId, userEmail, day, points })
    }
    if (decision.kind !== 'credit') continue
`,
      },
    ],
    harness: { ...simulation, says: /./ },
  },
  {
    name: 'cursor by awardedAt',
    edits: [
      {
        file: 'src/stores/sqlite/threads/reader.ts',
        find: 'AND seq < ? ORDER BY seq DESC LIMIT ?',
        replace: `AND awarded_at < coalesce((
        SELECT last.awarded_at FROM entries AS last WHERE last.partner_id = entries.partner_id
        AND last.tenant_id = entries.tenant_id AND last.seq = ?), 9e15) ORDER BY awarded_at DESC LIMIT ?`,
      },
    ],
    harness: { ...simulation, says: /./ },
  },
  {
    name: 'sequence taken before commit',
    edits: [
      {
        file: 'src/stores/postgres/migrate.ts',
        find: '  return pending.map',
        replace: "  await client.query('CREATE SEQUENCE IF NOT EXISTS numbers')\n  return pending.map",
      },
      {
        file: 'src/stores/postgres/many-accounts.ts',
        find: `SELECT \${accountSelection} FROM accounts
        WHERE accounts.partner_id = wanted.partner_id AND accounts.tenant_id = wanted.tenant_id FOR UPDATE`,
        replace: `SELECT \${accountSelection.replace('seq AS', "1000 * nextval('numbers') AS")} FROM accounts
        WHERE accounts.partner_id = wanted.partner_id AND accounts.tenant_id = wanted.tenant_id OFFSET 0`,
      },
    ],
    harness: { ...chaos('walks', '--walks', '100'), says: /I17: .* skips|I18: .* passed by/ },
  },
  {
    name: 'UTC day',
    edits: [
      {
        file: 'src/rules/vietnam-day.ts',
        find: 'export const utcOffsetMs = 25_200_000',
        replace: 'export const utcOffsetMs = 0',
      },
    ],
    harness: { ...simulation, says: /./ },
  },
  {
    name: 'blind retry after a dropped COMMIT',
    edits: [
      orderIndexNotUnique,
      {
        file: 'src/stores/postgres/commit.ts',
        find: "    throw new Unconfirmed('the outcome of the commit is not known', {",
        replace: "    throw new NothingCommitted('sent again', {",
      },
      {
        file: 'src/stores/postgres/commit.ts',
        find: '  let decision = decideBatch(commands, facts, setup.now)',
        replace: `
  if (sentBefore.has(commands)) for (const order of facts.known.keys()) facts.known.set(order, null)
  sentBefore.add(commands)
  let decision = decideBatch(commands, facts, setup.now)`,
      },
      {
        file: 'src/stores/postgres/commit.ts',
        find: 'class NothingCommitted extends Error {}',
        replace: 'class NothingCommitted extends Error {}\nconst sentBefore = new WeakSet<AwardCommand[]>()',
      },
    ],
    harness: { ...chaos('ambiguous-commit', '--commits', '50'), says: /I2: |verify: / },
  },
  {
    name: 'an unknown COMMIT taken for a success',
    edits: [
      {
        file: 'src/stores/postgres/commit.ts',
        find: "    throw new Unconfirmed('the outcome of the commit is not known', {",
        replace:
          "    if (isSilent || !isSilent) return\n    throw new Unconfirmed('the outcome of the commit is not known', {",
      },
    ],
    harness: { ...chaos('ambiguous-commit', '--commits', '50'), says: /I1: / },
  },
  {
    name: 'signature over re-serialized JSON',
    edits: [
      {
        file: 'src/http/award/route.ts',
        find: 'callerOf(request, { payload: body, body, payloadName })',
        replace: 'callerOf(request, { payload: reserialized(body), body, payloadName })',
      },
      {
        file: 'src/http/award/route.ts',
        find: 'const json = /',
        replace: `function reserialized(body: Uint8Array): string | Uint8Array {
  try {
    return JSON.stringify(JSON.parse(Buffer.from(body).toString()))
  } catch {
    return body
  }
}

const json = /`,
      },
    ],
    harness: { program: 'test/fuzz/fuzz.ts', args: ['--requests', '2000', '--flips', '4'], says: /./ },
  },
  {
    name: '400 after commit',
    edits: [
      {
        file: 'src/http/award/route.ts',
        find: "        case 'credited': {\n",
        replace: `        case 'credited': {
          if (award.note !== null) {
            return sendProblem(request, reply, { code: 'INVALID_REQUEST', detail: 'we do not like the note' })
          }
`,
      },
    ],
    harness: { program: 'test/fuzz/fuzz.ts', args: ['--requests', '5000', '--flips', '0'], says: /./ },
  },
  {
    name: 'synchronous=NORMAL',
    edits: [
      {
        file: 'src/stores/sqlite/database.ts',
        find: 'PRAGMA synchronous = FULL',
        replace: 'PRAGMA synchronous = NORMAL',
      },
      { file: 'src/stores/sqlite/self-check.ts', find: "'synchronous', 2", replace: "'synchronous', 1" },
    ],
    harness: {
      program: 'test/power-cut/power-cut.ts',
      args: ['--awards', '60', '--images', '60', '--normal'],
      says: /./,
    },
  },
]
