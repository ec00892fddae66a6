import type { EntryPage, StoredEntry } from '../../../proof/fast/stored-entry.ts'
import { dayText, vietnamDay } from '../../../rules/vietnam-day.ts'
import { AccountMap } from '../../../shortcuts/account-map.ts'
import { answerStatements } from '../../answer-statements.ts'
import { entriesInPage, pagesOf } from '../../day-ranges.ts'
import { type EntryRow, entryOf } from '../../entry-row.ts'
import type { Database } from '../database.ts'
import { type AccountDayRow, accountDayValues, addEntry, newDay } from './account-day-rows.ts'
import type { EntryPlaces } from './entry-places.ts'
import { prepareNumbered } from '../numbered-parameters.ts'

export type SumsCheck = {
  /** Gives the same pages, and adds up their entries. */
  over(pages: AsyncIterable<EntryPage>): AsyncGenerator<EntryPage>
  /** What is wrong, once all pages were read. */
  fault(): string | null
}

/**
 * Compares the sums that reports use with the entries, which the verifier reads anyway. Only rows that are there are
 * compared: the entries of the others are read for a report. A running server adds to the rows meanwhile, and may be
 * behind; then the entries that the row is about are read again, those of one day for each account.
 */
export function createSumsCheck(ledger: Database, places: EntryPlaces): SumsCheck {
  const entriesIn = prepareNumbered(ledger, answerStatements.entriesIn)
  /** The day that each account has come to. */
  const open = new AccountMap<AccountDayRow>()
  let wrong: AccountDayRow | null = null

  function add(entry: StoredEntry): void {
    const day = vietnamDay(entry.awardedAt)
    const known = open.get(entry)
    if (known?.day === day) {
      addEntry(known, entry)
      return
    }
    if (known !== undefined) compare(known)
    open.set(entry, addEntry(newDay(entry, day), entry))
  }

  function compare(day: AccountDayRow): void {
    if (wrong === null && !isRight(day)) wrong = day
  }

  function isRight(day: AccountDayRow): boolean {
    const stored = storedDay(day)
    if (stored === undefined) return true
    if (stored === null) return false
    if (stored.lastSeq === day.lastSeq) return isSame(stored, day)
    const upToThere = readDay(day, stored.lastSeq)
    return upToThere !== null && isSame(stored, upToThere)
  }

  /** Undefined: there is no row. Null: it cannot be read, like a number beyond 2^53. */
  function storedDay(day: AccountDayRow): AccountDayRow | undefined | null {
    try {
      return places.accountDay(day, day.day)
    } catch {
      return null
    }
  }

  /** Null: the entries up to `lastSeq` are not all of this day. */
  function readDay(day: AccountDayRow, lastSeq: number): AccountDayRow | null {
    const { partnerId, tenantId, firstSeq } = day
    const read = newDay({ partnerId, tenantId, seq: firstSeq }, day.day)
    for (const page of pagesOf({ partnerId, tenantId, firstSeq, lastSeq }, entriesInPage)) {
      const rows = entriesIn.all(partnerId, tenantId, page.firstSeq, page.lastSeq) as EntryRow[]
      if (rows.length === 0) return null
      for (const entry of rows.map(entryOf)) {
        if (vietnamDay(entry.awardedAt) !== day.day) return null
        addEntry(read, entry)
      }
    }
    return read
  }

  return {
    async *over(pages) {
      for await (const page of pages) {
        for (const entry of page.entries) add(entry)
        yield page
      }
    },
    fault() {
      for (const day of open.values()) compare(day)
      return wrong === null ? null : faultText(wrong)
    },
  }
}

function isSame(one: AccountDayRow, other: AccountDayRow): boolean {
  const values = accountDayValues(other)
  return accountDayValues(one).every((value, index) => value === values[index])
}

function faultText({ partnerId, tenantId, day }: AccountDayRow): string {
  return (
    `the sums of ${partnerId}/${tenantId} on ${dayText(day)} in the file "…-operator" are not those of its entries, or ` +
    'cannot be read. The ledger itself is sound, but a report of that day may not be. Delete that file: a server adds ' +
    'up the entries again. The refusals and sign-ins in it are lost'
  )
}
