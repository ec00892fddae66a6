import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Counts, findAlerts, type PartnerSeen, type Seen } from './rules.ts'

const nothing: Seen = { now: 0, day: 20_773, usage: [], limits: [], partners: [], refusing: [], keys: [] }
const none: Counts = {
  responses: 0,
  credited: 0,
  failures: 0,
  wrongSignatures: 0,
  soonReplays: 0,
  perUserDay: 0,
}

function kindsOf(seen: Partial<Seen>): string[] {
  return findAlerts({ ...nothing, ...seen }).map(({ kind }) => kind)
}

function acme(recent: Partial<Counts>, before: Partial<Counts> = {}): { partners: PartnerSeen[] } {
  return {
    partners: [{ partnerId: 'acme', recent: { ...none, ...recent }, before: { ...none, ...before } }],
  }
}

test('nothing seen is nothing to tell', () => {
  assert.deepEqual(findAlerts(nothing), [])
})

test('80 % and 100 % of perPartnerDay are crossed at the very point', () => {
  const at = (used: number) => kindsOf({ usage: [{ partnerId: 'acme', tenantId: 't1', used, limit: 1_000 }] })
  assert.deepEqual(at(799), [])
  assert.deepEqual(at(800), ['capNear'])
  assert.deepEqual(at(999), ['capNear'])
  assert.deepEqual(at(1_000), ['capNear', 'capReached'])
})

test('an award that no longer fits reaches the cap, once, whether it was filled to the point or not', () => {
  const full = { partnerId: 'acme', tenantId: 't1', limit: 1_000 }
  const limits = [full]
  assert.deepEqual(kindsOf({ limits, refusing: [full] }), ['capReached'])
  assert.deepEqual(kindsOf({ limits, refusing: [full], usage: [{ ...full, used: 990 }] }), [
    'capNear',
    'capReached',
  ])
  assert.deepEqual(kindsOf({ limits, refusing: [full, full], usage: [{ ...full, used: 1_000 }] }), [
    'capNear',
    'capReached',
  ])
})

test('a refusal by a cap that was changed since is not about the new cap', () => {
  const before = { partnerId: 'acme', tenantId: 't1', limit: 1_000 }
  assert.deepEqual(kindsOf({ limits: [{ ...before, limit: 2_000 }], refusing: [before] }), [])
  assert.deepEqual(kindsOf({ limits: [], refusing: [before] }), [], 'the partner lost the tenant')
})

test('a cap that is raised, and another day, are crossed by themselves', () => {
  const occasionsOf = (day: number, limit: number) =>
    findAlerts({
      ...nothing,
      day,
      usage: [{ partnerId: 'acme', tenantId: 't1', used: limit, limit }],
    }).map(({ kind, occasion }) => `${kind} ${occasion}`)
  assert.deepEqual(occasionsOf(1, 1_000), occasionsOf(1, 1_000))
  assert.notDeepEqual(occasionsOf(1, 1_000), occasionsOf(1, 2_000))
  assert.notDeepEqual(occasionsOf(1, 1_000), occasionsOf(2, 1_000))
})

test('failures jump when a fifth of the requests fails and that is three times as much as in the hour before', () => {
  const usual = { responses: 1_000, failures: 50 }
  assert.deepEqual(kindsOf(acme({ responses: 100, failures: 20 }, usual)), ['failuresJumped'])
  assert.deepEqual(kindsOf(acme({ responses: 101, failures: 20 }, usual)), [])
  assert.deepEqual(kindsOf(acme({ responses: 19, failures: 19 }, usual)), [], 'too few to tell')
  assert.deepEqual(kindsOf(acme({ responses: 100, failures: 30 }, { responses: 1_000, failures: 101 })), [])
  assert.deepEqual(kindsOf(acme({ responses: 20, failures: 20 })), ['failuresJumped'], 'a new partner')
})

test('five wrong signatures of a known key within the recent minutes are told', () => {
  assert.deepEqual(kindsOf(acme({ wrongSignatures: 4 }, { wrongSignatures: 100 })), [])
  assert.deepEqual(kindsOf(acme({ wrongSignatures: 5 })), ['wrongSignatures'])
})

test('double sending is many replays soon after the original, beside few credited awards', () => {
  const twice = acme({ soonReplays: 12, credited: 60 }, { soonReplays: 8, credited: 140 })
  assert.deepEqual(kindsOf(twice), ['doubleSending'])
  assert.deepEqual(kindsOf(acme({ soonReplays: 19, credited: 19 })), [])
  assert.deepEqual(kindsOf(acme({ soonReplays: 20, credited: 201 })), [], 'a large partner retries, too')
})

test('a clock difference above a minute is told for the key, fast or slow', () => {
  const at = (aheadMs: number) => kindsOf({ keys: [{ partnerId: 'acme', keyId: 'key_1', aheadMs }] })
  assert.deepEqual(at(60_001), ['clockOff'])
  assert.deepEqual(at(-60_001), ['clockOff'])
  assert.deepEqual(at(60_000), [])
})

test('many refusals by perUserDay may be a partner that tries out what users have received', () => {
  assert.deepEqual(kindsOf(acme({ perUserDay: 12 }, { perUserDay: 8 })), ['userDayProbing'])
  assert.deepEqual(kindsOf(acme({ perUserDay: 12 }, { perUserDay: 7 })), [])
})
