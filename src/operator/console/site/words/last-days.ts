import { dayText, vietnamDay } from '../../../../rules/vietnam-day.ts'

export type PastDay = { day: string; credited: number; refused: number }

/** Every whole day of a series of days, also those without a request, which have no point. */
export function lastDays({
  from,
  to,
  points,
}: {
  from: string
  to: string
  points: { at: string; points: number; refusedPoints: number }[]
}): PastDay[] {
  const byDay = new Map(points.map((point) => [vietnamDay(Date.parse(point.at)), point]))
  const first = vietnamDay(Date.parse(from) - 1) + 1
  const last = vietnamDay(Date.parse(to) - 1)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const point = byDay.get(first + index)
    return { day: dayText(first + index), credited: point?.points ?? 0, refused: point?.refusedPoints ?? 0 }
  })
}
