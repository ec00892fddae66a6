import { isRefusal, type ResultCode } from '../journal/result-code.ts'
import type { CountField } from '../journal/journal-reader.ts'
import { Refused } from '../partners/refused.ts'
import { addSums, type EntrySums, noEntries } from '../rules/entry-sums.ts'
import { isoTime, storedDayText } from '../rules/iso-time.ts'
import { dayText, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { namedPartner, namedTenant } from './named.ts'
import { readSettings } from './settings.ts'
import type { AnswerSources } from './sources.ts'

export const reportDimensions = ['partner', 'tenant', 'day'] as const
export type ReportDimension = (typeof reportDimensions)[number]

/** Null: the report is not by this dimension. */
type ReportGroup = {
  partnerId: string | null
  /** Also null of a partner that is not known. */
  partnerName: string | null
  tenantId: string | null
  day: string | null
}

type ReportFigures = EntrySums & {
  /** How many requests for an award were refused, by code. From the journal, and not from the ledger. */
  refusals: Record<string, number>
  /** The EP of these requests, as far as they are known. A request that is sent again counts again. */
  refusedPoints: number
}

export type ReportRow = ReportGroup & ReportFigures

export type ReportAnswer = {
  from: string
  to: string
  by: ReportDimension[]
  rows: ReportRow[]
  total: ReportFigures
  /** Awards in them do not count. */
  sandboxTenantsLeftOut: string[]
  /** Since when refusals are counted; null: there is no journal yet. */
  refusalsSince: string | null
}

type ReportQuestion = {
  /** Vietnam days, both included. */
  from: number
  to: number
  by: ReportDimension[]
  partnerId?: string | undefined
  /** A sandbox tenant that is asked for by name is not left out. */
  tenantId?: string | undefined
}

/** What was credited and refused in a period. */
export async function report(sources: AnswerSources, question: ReportQuestion): Promise<ReportAnswer> {
  const { queries, journal } = sources
  const { from, to, by, partnerId, tenantId } = question
  if (from > to) throw new Refused(`the period ends before it begins: ${dayText(from)} to ${dayText(to)}`)
  if (partnerId !== undefined) await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const settings = await readSettings(queries)
  const isLeftOut = (id: string) => tenantId === undefined && settings.isSandbox(id)
  const groups = createGroups(by, settings.nameOf)

  for await (const days of queries.accountDays({ from, to, partnerId, tenantId })) {
    for (const day of days) if (!isLeftOut(day.tenantId)) groups.addAwards(day, day)
  }
  const counts = await journal.counts({
    span: 'day',
    from: vietnamDayStart(from),
    to: vietnamDayStart(to + 1),
    by: [...by.map((dimension) => countFields[dimension]), ...alwaysCountedBy].filter(isFirst),
    partnerId,
    tenantId,
  })
  for (const { start, code, endpoint, responses, points, ...of } of counts) {
    const isRefusedAward = endpoint === 'award' && isRefusal(code as ResultCode)
    if (!isRefusedAward || isLeftOut(of.tenantId!)) continue
    const day = start === undefined ? 0 : vietnamDay(start)
    const place = { partnerId: of.partnerId ?? '', tenantId: of.tenantId!, day }
    groups.addRefusals(place, { code: code!, responses, points })
  }
  const begin = await journal.begin()
  return {
    from: dayText(from),
    to: dayText(to),
    by,
    ...groups.read(),
    sandboxTenantsLeftOut: [...settings.tenants.keys()].filter(isLeftOut),
    refusalsSince: begin.counts === null ? null : isoTime(begin.counts),
  }
}

const countFields: Record<ReportDimension, CountField> = {
  partner: 'partnerId',
  tenant: 'tenantId',
  day: 'start',
}
/** The tenant, because some are left out. */
const alwaysCountedBy: CountField[] = ['tenantId', 'code', 'endpoint']

function isFirst<T>(item: T, index: number, all: T[]): boolean {
  return all.indexOf(item) === index
}

type Place = { partnerId: string; tenantId: string; day: number }
type Refusals = { code: string; responses: number; points: number }

function createGroups(by: ReportDimension[], nameOf: (partnerId: string) => string | null) {
  const groups = new Map<string, ReportRow>()
  let total: ReportFigures = { ...noEntries, refusals: {}, refusedPoints: 0 }

  function groupOf({ partnerId, tenantId, day }: Place): ReportRow {
    const group: ReportGroup = {
      partnerId: by.includes('partner') ? partnerId : null,
      partnerName: by.includes('partner') ? nameOf(partnerId) : null,
      tenantId: by.includes('tenant') ? tenantId : null,
      day: by.includes('day') ? storedDayText(day, 'entries') : null,
    }
    const name = keyOf(group)
    const known = groups.get(name)
    if (known !== undefined) return known
    const row = { ...group, ...noEntries, refusals: {}, refusedPoints: 0 }
    groups.set(name, row)
    return row
  }

  return {
    addAwards(place: Place, sums: EntrySums): void {
      const group = groupOf(place)
      Object.assign(group, addSums(group, sums))
      total = { ...total, ...addSums(total, sums) }
    },
    addRefusals(place: Place, { code, responses, points }: Refusals): void {
      for (const figures of [groupOf(place), total]) {
        figures.refusals[code] = (figures.refusals[code] ?? 0) + responses
        figures.refusedPoints += points
      }
    },
    /** In the order of the dimensions that were asked for. */
    read() {
      const order = (row: ReportRow) => by.map((dimension) => row[rowFields[dimension]]).join(' ')
      const rows = [...groups.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
      return { rows, total }
    },
  }
}

const rowFields = { partner: 'partnerId', tenant: 'tenantId', day: 'day' } as const

/** Ids have no spaces. */
function keyOf({ partnerId, tenantId, day }: ReportGroup): string {
  return [partnerId, tenantId, day].join(' ')
}
