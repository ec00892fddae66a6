import type { CountSum } from '../journal/journal-reader.ts'
import { isRefusal, type ResultCode } from '../journal/result-code.ts'

/** What became of requests for an award, as the journal counted them. */
export type RequestFigures = {
  awards: number
  points: number
  refused: number
  /** As far as the EP of a refused request are known. A request that is sent again counts again. */
  refusedPoints: number
  replays: number
}

export const noRequests: Readonly<RequestFigures> = Object.freeze({
  awards: 0,
  points: 0,
  refused: 0,
  refusedPoints: 0,
  replays: 0,
})

/** Adds a row of counts, which must be by code and endpoint. */
export function addCount(
  figures: RequestFigures,
  { code, endpoint, responses, points }: CountSum,
): RequestFigures {
  if (endpoint !== 'award') return figures
  const { awards, refused, replays } = figures
  if (code === 'CREDITED') return { ...figures, awards: awards + responses, points: figures.points + points }
  if (code === 'DUPLICATE') return { ...figures, replays: replays + responses }
  if (!isRefusal(code as ResultCode)) return figures
  return { ...figures, refused: refused + responses, refusedPoints: figures.refusedPoints + points }
}
