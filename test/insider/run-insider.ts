import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { progressBar } from '../../src/cli/progress.ts'
import { damageOrderIndex } from '../support/damaged-order-index.ts'
import { withoutTriggers } from '../support/forged-ledger.ts'
import type { Report } from '../support/long-run.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { integerBelow, oneOf, type Random, randomFrom } from '../support/seeded-random.ts'
import { verifyFile, verifyWholeFile } from '../support/sqlite-ledger.ts'
import { makeBaseLedger } from './base-ledgers.ts'
import { coverUps, creditedTwice, type Edit, edits } from './edits.ts'
import { contentOf, contradictionIn, damageOf, frameOf } from './oracle.ts'

/** So many edited copies are made of each ledger. */
const copiesOfEach = 100

/**
 * Somebody with full access to the file changes it, in one way or several, and may hash and count everything again
 * afterwards. `verify` must call exactly those ledgers sound that the oracle could take for true.
 */
export async function runInsider({ ledgers, seed }: { ledgers: number; seed: number }): Promise<Report> {
  const folder = mkdtempSync(join(scratchFolder(), 'partner-credit-insider-'))
  const bar = progressBar('insider')
  const figures = {
    ledgers: 0,
    'edits made': 0,
    'found not sound': 0,
    'rewritten so that all fits': 0,
    unchanged: 0,
  }
  const kinds = new Set<string>()
  const violations: string[] = []
  let at = ''
  try {
    let base = ''
    for (let index = 0; index < ledgers; index++) {
      const random = randomFrom(seed + index)
      const copy = index % copiesOfEach
      at = `the last of --ledgers ${copy + 1} --seed ${seed + index - copy}`
      if (index % copiesOfEach === 0) base = await makeBaseLedger(folder, 'base', random)
      const path = join(folder, 'edited.db')
      copyFileSync(base, path)
      const before = look(path, (database) => ({ frame: frameOf(database), content: contentOf(database) }))
      const made = tamper(path, random)
      const { contradiction, damage, isChanged } = look(path, (database) => ({
        contradiction: contradictionIn(database, before.frame),
        damage: damageOf(database),
        isChanged: contentOf(database) !== before.content,
      }))
      const proof = await verifyFile(path)
      const { sound, fault } = await verifyWholeFile(path)
      figures.ledgers++
      figures['edits made'] += made.length
      for (const name of made) kinds.add(name)
      if (!sound) figures['found not sound']++
      else if (isChanged) figures['rewritten so that all fits']++
      else figures.unchanged++
      const what = `${made.join(', ')} (${at})`
      const wrong = contradiction ?? damage
      if (proof.sound && contradiction !== null)
        violations.push(`missed by the proof (${contradiction}): ${what}`)
      if (sound && wrong !== null) violations.push(`missed (${wrong}): ${what}`)
      if (!proof.sound && contradiction === null) violations.push(`false alarm (${proof.fault}): ${what}`)
      if (!sound && wrong === null) violations.push(`false alarm (${fault}): ${what}`)
      if (/example\.vn/.test(fault ?? '')) violations.push(`an address in a fault: ${what}`)
      bar.show(index / ledgers)
    }
  } catch (error) {
    throw new Error(`failed at ${at}`, { cause: error })
  } finally {
    bar.end()
    rmSync(folder, { recursive: true })
  }
  return { figures: { ...figures, 'kinds of edits': kinds.size }, violations }
}

function tamper(path: string, random: Random): string[] {
  const withoutIndex = random() < 0.15
  // An order can be credited twice only where the index does not stand in the way.
  const chosen =
    withoutIndex && random() < 0.5
      ? [creditedTwice]
      : Array.from({ length: 1 + integerBelow(random, 3) }, () => oneOf(random, edits))
  const after = coverUps.filter(() => random() < 0.5)
  const made: string[] = []
  const apply = (database: DatabaseSync) => {
    database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
    withoutTriggers(database, () => {
      for (const edit of [...chosen, ...after]) if (isMade(database, edit, random)) made.push(edit.name)
    })
  }
  if (withoutIndex) {
    damageOrderIndex(path, apply)
    made.push('while the index of orders was away')
  } else {
    const database = new DatabaseSync(path)
    apply(database)
    if (random() < 0.05) {
      database.exec(
        `DROP TRIGGER ${oneOf(random, ['entries_are_never_changed', 'entries_are_never_deleted'])}`,
      )
      made.push('a trigger dropped')
    }
    database.close()
  }
  return made
}

/** A constraint, or what an edit before it has left, may stand in its way. */
function isMade(database: DatabaseSync, { apply }: Edit, random: Random): boolean {
  database.exec('SAVEPOINT edit')
  try {
    apply(database, random)
    database.exec('RELEASE edit')
    return true
  } catch {
    database.exec('ROLLBACK TO edit; RELEASE edit')
    return false
  }
}

function look<T>(path: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}
