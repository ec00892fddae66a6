import { utcOffsetMs } from '../../../../rules/vietnam-day.ts'

const places = 60
const minuteMs = 60_000

type Minute = { at: string; requests: number; p50Ms: number | null; p99Ms: number | null }
/** `start` in Vietnam: `14:32`. Null: no request was measured in this minute. */
export type LatencyPlace = { start: string; minute: Minute | null }

/** The last hour, minute by minute. */
export function latencyPlaces(minutes: Minute[], now: number): LatencyPlace[] {
  const from = now - places * minuteMs
  const byPlace = new Map(
    minutes.map((minute) => [Math.floor((Date.parse(minute.at) - from) / minuteMs), minute]),
  )
  return Array.from({ length: places }, (_, place) => {
    const minute = byPlace.get(place) ?? null
    const at = minute === null ? from + place * minuteMs : Date.parse(minute.at)
    return { start: new Date(at + utcOffsetMs).toISOString().slice(11, 16), minute }
  })
}
