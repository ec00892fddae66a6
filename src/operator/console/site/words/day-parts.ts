import { dayMs } from '../../../../rules/vietnam-day.ts'

/** Minutes that are drawn as one place: a line of 1,440 places would be noise on most screens. */
const minutesPerPlace = 5
const places = 1_440 / minutesPerPlace

type Figure = 'awards' | 'points'
type Minutes = {
  from: string
  countedSince: string | null
  points: ({ at: string } & Record<Figure, number>)[]
}

/** A figure over one Vietnam day. Null: nothing was counted then, or it is still to come. */
export type DayParts = {
  /** When each place begins: `14:30`. */
  starts: string[]
  /** The mean of the minutes of a place. */
  perMinute: (number | null)[]
  hours: (number | null)[]
  total: number
}

/** A minute without a request has no point: it is zero if requests were counted then, and a gap otherwise. */
export function dayParts({ from, countedSince, points }: Minutes, figure: Figure, now: number): DayParts {
  const start = Date.parse(from)
  const since = countedSince === null ? Number.POSITIVE_INFINITY : Date.parse(countedSince)
  const sums = (parts: number): (number | null)[] => {
    const lengthMs = dayMs / parts
    const values: (number | null)[] = Array.from({ length: parts }, (_, index) => {
      const begin = start + index * lengthMs
      return begin + lengthMs > since && begin <= now ? 0 : null
    })
    for (const point of points) {
      const index = Math.floor((Date.parse(point.at) - start) / lengthMs)
      if (index >= 0 && index < parts) values[index] = (values[index] ?? 0) + point[figure]
    }
    return values
  }
  return {
    starts: Array.from({ length: places }, (_, index) => clockAt(index * minutesPerPlace)),
    perMinute: sums(places).map((sum, index) => {
      // The place of now is not over: its minutes so far count.
      const passed = Math.ceil((now - start) / 60_000) - index * minutesPerPlace
      return sum === null ? null : sum / Math.min(minutesPerPlace, Math.max(1, passed))
    }),
    hours: sums(24),
    total: points.reduce((sum, point) => sum + point[figure], 0),
  }
}

function clockAt(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
