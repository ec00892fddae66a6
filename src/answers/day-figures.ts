import { vietnamDayStart } from '../rules/vietnam-day.ts'
import type { AccountDay } from './ledger-queries.ts'
import { addCount, noRequests, type RequestFigures } from './request-figures.ts'
import { readSettings, type Settings } from './settings.ts'
import type { AnswerSources } from './sources.ts'

/** Awards and EP by the ledger; refusals and replays by the journal. Sandbox tenants are left out. */
export type DayFigures = Pick<RequestFigures, 'awards' | 'points' | 'refused' | 'replays'>

type PartnersDay = {
  settings: Settings
  /** Of live tenants. */
  accounts: AccountDay[]
  /** Of a partner. */
  figuresOf(partnerId: string): DayFigures
  /** Of all partners, and of requests without a known key. */
  total: DayFigures
}

/** What partners did on a Vietnam day: of all, or only of one. */
export async function partnersDay(
  { queries, journal }: Pick<AnswerSources, 'queries' | 'journal'>,
  { day, partnerId }: { day: number; partnerId?: string | undefined },
): Promise<PartnersDay> {
  const settings = await readSettings(queries)
  const accounts: AccountDay[] = []
  for await (const days of queries.accountDays({ from: day, to: day, partnerId }))
    accounts.push(...days.filter(({ tenantId }) => !settings.isSandbox(tenantId)))
  const counts = await journal.counts({
    span: 'day',
    from: vietnamDayStart(day),
    to: vietnamDayStart(day + 1),
    by: ['partnerId', 'endpoint', 'code'],
    partnerId,
    withoutTenants: settings.sandboxes,
  })
  const requests = new Map<string, RequestFigures>()
  for (const count of counts)
    requests.set(count.partnerId!, addCount(requests.get(count.partnerId!) ?? noRequests, count))

  function figures(of: AccountDay[], counted: RequestFigures[]): DayFigures {
    const sum = <T>(items: T[], value: (item: T) => number) =>
      items.reduce((total, item) => total + value(item), 0)
    return {
      awards: sum(of, ({ awards }) => awards),
      points: sum(of, ({ points }) => points),
      refused: sum(counted, ({ refused }) => refused),
      replays: sum(counted, ({ replays }) => replays),
    }
  }
  const byPartner = Map.groupBy(accounts, (account) => account.partnerId)
  return {
    settings,
    accounts,
    figuresOf: (id) => figures(byPartner.get(id) ?? [], [requests.get(id) ?? noRequests]),
    total: figures(accounts, [...requests.values()]),
  }
}
