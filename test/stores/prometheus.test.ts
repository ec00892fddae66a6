import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { prometheusMissing, startPrometheus } from '../support/prometheus.ts'
import { scrape } from '../support/scrape.ts'
import { startService } from '../support/service.ts'
import { recordVerified } from '../support/verify-results.ts'

const slow = { withinMs: 60_000 }

/** Metrics that only the other kind of database has. */
const notOn = {
  sqlite: /partner_credit_(database_|clock_)/,
  postgres: /partner_credit_(wal_|checkpoint_)/,
}

type Panel = { title: string; targets?: { expr: string }[] }

test('promtool finds the alert rules and the configuration of deploy/ correct', (t) => {
  const missing = prometheusMissing()
  if (missing !== null) return t.skip(missing)
  for (const check of [
    ['rules', 'deploy/prometheus/alerts.yml'],
    ['config', 'deploy/prometheus/prometheus.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', ...check], { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  }
})

test('a Prometheus that scrapes the service evaluates every expression of the alerts and of the dashboard', async (t) => {
  const missing = prometheusMissing()
  if (missing !== null) return t.skip(missing)
  const { acme, clock, config, operatorUrl } = await startService(t, {}, { nodes: 1 })
  const others = notOn[config.database.kind]
  await acme.award()
  const { get } = await startPrometheus(t, operatorUrl)
  const known = new Set<string>()
  // Read from the database: a scrape may go without them.
  const slowOnes = ['partner_credit_day_usage_ratio', 'partner_credit_verify_age_seconds']
  await eventually(
    'a scrape has everything',
    async () => {
      // On PostgreSQL it is a notification, which a server that does not listen yet does not get.
      await recordVerified(config.database, clock.now())
      for (const { name } of await scrape(operatorUrl)) known.add(name)
      return slowOnes.every((name) => known.has(name))
    },
    slow,
  )
  const query = (expression: string) => get(`query?query=${encodeURIComponent(expression)}`)

  await t.test('the alerts', async () => {
    const rules = async () =>
      (await get('rules')).data.groups.flatMap((group: { rules: unknown[] }) => group.rules) as {
        name: string
        query: string
        health: string
        lastError?: string
      }[]
    await eventually('all are evaluated', async () => (await rules()).every(isEvaluated), slow)
    const all = await rules()
    assert.ok(all.length >= 10)
    for (const { name, query: expression, health, lastError } of all) {
      assert.equal(health, 'ok', `${name}: ${lastError}`)
      assertKnown(expression, known, others)
    }
  })

  await t.test('the dashboard', async () => {
    const { panels } = JSON.parse(readFileSync('deploy/grafana/partner-credit.json', 'utf8'))
    const expressions = (panels as Panel[]).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(expressions.length >= 20)
    for (const expression of expressions) {
      assertKnown(expression, known, others)
      const first = await query(expression)
      assert.equal(first.status, 'success', `${expression}: ${first.error}`)
      if (others.test(expression)) continue
      // A rate needs two scrapes, and a request between them need not have been of this kind.
      const hasResult = async () => (await query(expression)).data.result.length > 0
      await eventually(`${expression} has a result`, hasResult, slow)
    }
  })
})

const isEvaluated = ({ health }: { health: string }) => health !== 'unknown'

/** A misspelled name would be an expression without a result, not an error. */
function assertKnown(expression: string, known: Set<string>, others: RegExp): void {
  for (const [name] of expression.matchAll(/\b(?:partner_credit|process)_[a-z_]+/g)) {
    assert.ok(known.has(name) || others.test(name), `${name} in ${expression}`)
  }
}
