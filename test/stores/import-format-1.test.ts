import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { openStore } from '../../src/stores/open.ts'
import { storeKind } from '../support/fresh-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { anEmptyDatabase, exportOf, importInto, resealed, withRaw } from '../support/transfers.ts'

const withoutMode = ({ mode: _, ...tenant }: Record<string, unknown>) => tenant

/** The same ledger as the version before the audit chain would have written it: no defaults, no rows of tenants. */
function asFormat1(file: string): string {
  const lines = file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind, subject }) => kind !== 'defaults' && !/^(defaults|tenant )/.test(subject ?? ''))
    .map((line) => {
      const { defaults, ...others } = line
      if (line.kind === 'end') return others
      if (line.version !== undefined) return { format: line.format, version: 1 }
      if (line.kind === 'tenant') return withoutMode(line)
      if (line.kind !== 'audit') return line
      const { kind, auditSeq: auditId, at, actor, action, subject, before, after } = line
      return { kind, auditId, at, actor, action, subject, before, after }
    })
  return resealed(lines.map((line) => JSON.stringify(line)))
}

test('audit rows of the first format are chained by the import, and what none of them tells is recorded as found', async (t) => {
  const source = await aStoreLedger(t)
  await source.store.ledger.award(anOrder('A1'))
  await suspendPartner(source.operator, 'globex')
  const target = await anEmptyDatabase(t, storeKind)
  const { verification } = await importInto(target, asFormat1(await exportOf(source.database)), {
    acceptFormat1: true,
  })
  assert.equal(verification.sound, true)

  const rows = await withRaw(target, (raw) =>
    raw.rows('SELECT audit_seq, action, subject, origin FROM audit ORDER BY audit_seq'),
  )
  assert.deepEqual(
    rows.map(({ audit_seq, action, subject, origin }) => [audit_seq, action, subject, origin].join()),
    [
      '1,partner create,partner acme,not recorded',
      '2,partner create,partner globex,not recorded',
      '3,partner suspend,partner globex,not recorded',
      '4,recorded as found,tenant t1,service',
      '5,recorded as found,tenant t2,service',
    ],
  )
  const store = await openStore(target)
  assert.equal((await store.partners.defaultCaps()).setAt, null, 'the first server sets the defaults')
  await store.close()
})

/** Whatever shows such a row would fail afterwards. */
for (const [kind, field] of [
  ['tenant', 'createdAt'],
  ['partner', 'createdAt'],
  ['key', 'expiresAt'],
  ['audit', 'at'],
  ['entry', 'awardedAt'],
] as const) {
  test(`a time that is no date is not imported, in a line of the kind ${kind}`, async (t) => {
    const source = await aStoreLedger(t)
    await source.store.ledger.award(anOrder('A1'))
    const lines = asFormat1(await exportOf(source.database))
      .trimEnd()
      .split('\n')
    const at = lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`))
    const line = JSON.stringify({ ...JSON.parse(lines[at]!), [field]: 8_640_000_000_000_001 })
    const target = await anEmptyDatabase(t, storeKind)
    await assert.rejects(
      importInto(target, resealed(lines.with(at, line)), { acceptFormat1: true }),
      new RegExp(`^Error: line ${at + 1}: its ${field} is not a time`),
    )
  })
}

test('a partner whose name an older version let in, control characters and all, can be restored', async (t) => {
  const name = 'Acme\u200e \u001b[31mred'
  const source = await aStoreLedger(t)
  const ofAcme = (line: string) =>
    line.replaceAll(/(\\?"name\\?":\\?")Acme/g, `$1${JSON.stringify(name).slice(1, -1)}`)
  const file = asFormat1(await exportOf(source.database))
  const older = resealed(
    file
      .trimEnd()
      .split('\n')
      .map((line) => (line.includes('"kind":"partner"') ? ofAcme(line) : line)),
  )
  assert.notEqual(older, file)
  const target = await anEmptyDatabase(t, storeKind)
  await importInto(target, older, { acceptFormat1: true })
  const again = await anEmptyDatabase(t, storeKind)
  await importInto(again, await exportOf(target))
  const store = await openStore(again)
  assert.equal((await store.partners.partners()).find(({ partnerId }) => partnerId === 'acme')!.name, name)
  await store.close()
})
