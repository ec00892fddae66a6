import { dayText, parseDay } from '../../../../rules/vietnam-day.ts'

/** A figure in requests and in EP. */
type Sum = { count: number; points: number }

/** What happened, and what another cap would have changed. `refused` is the sum of `nowAdmitted` and `stillRefused`. */
export type Effect = { credited: Sum; refused: Sum; nowRefused: Sum; nowAdmitted: Sum; stillRefused: Sum }
export type BackTested = { days: (Effect & { day: string })[]; total: Effect }

type TriedDay = Record<
  | 'awards'
  | 'points'
  | 'refusedAwards'
  | 'refusedPoints'
  | 'refusedThenOrders'
  | 'refusedThenPoints'
  | 'admittedOrders'
  | 'admittedPoints'
  | 'stillRefusedOrders'
  | 'stillRefusedPoints',
  number
> & { day: string }
type Tried = { from: string; to: string; tenants: { tenantId: string; days: TriedDay[] }[] }

/**
 * A back-test in one tenant, which is where a cap counts. The figures, the chart and the table all show these days: the totals
 * are their sums. Days without awards are days, too.
 */
export function backTestIn({ from, to, tenants }: Tried, tenantId: string): BackTested {
  const tried = tenants.find((tenant) => tenant.tenantId === tenantId)?.days ?? []
  const byDay = new Map(tried.map((day) => [day.day, day]))
  const [first, last] = [parseDay(from)!, parseDay(to)!]
  const days = Array.from({ length: last - first + 1 }, (_, index) => {
    const day = dayText(first + index)
    return { day, ...effectOf(byDay.get(day)) }
  })
  return { days, total: days.reduce(added, effectOf(undefined)) }
}

function effectOf(day: TriedDay | undefined): Effect {
  const sum = (count = 0, points = 0) => ({ count, points })
  return {
    credited: sum(day?.awards, day?.points),
    refused: sum(day?.refusedThenOrders, day?.refusedThenPoints),
    nowRefused: sum(day?.refusedAwards, day?.refusedPoints),
    nowAdmitted: sum(day?.admittedOrders, day?.admittedPoints),
    stillRefused: sum(day?.stillRefusedOrders, day?.stillRefusedPoints),
  }
}

function added(a: Effect, b: Effect): Effect {
  const sum = (name: keyof Effect) => ({
    count: a[name].count + b[name].count,
    points: a[name].points + b[name].points,
  })
  return {
    credited: sum('credited'),
    refused: sum('refused'),
    nowRefused: sum('nowRefused'),
    nowAdmitted: sum('nowAdmitted'),
    stillRefused: sum('stillRefused'),
  }
}
