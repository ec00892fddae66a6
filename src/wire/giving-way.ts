import type { Connection } from './connection.ts'
import { limits } from './limits.ts'

/** In this order connections give way: those first that keep us waiting, then those of a crowd. */
const ranks = ['stalled', 'unread', 'of a crowd', 'known, but slow'] as const
type Rank = (typeof ranks)[number]

/** By a request that does not come, or by a response that is not being read. */
export type Slowness = 'stalled' | 'unread' | null

export type Candidate = {
  connection: Connection
  rank: Rank
  knownAs: string | null
  /** The latest connection of a partner has place 0, the one before it place 1. */
  place: number
}

/**
 * The connections that give way to newcomers when slots run out, the first of them last.
 *
 * Each partner keeps its latest connections. Of the others, the partner with the most gives way first, and of its
 * connections the one that was opened first. All those who have not proved who they are count as one partner: a newcomer
 * is among the latest of them.
 */
export function rankGivingWay(
  inOrderOfOpening: Iterable<Connection>,
  slownessOf: (connection: Connection) => Slowness,
): Candidate[] {
  const counts = new Map<string | null, number>()
  const candidates: Candidate[] = []
  for (const connection of [...inOrderOfOpening].reverse()) {
    const { knownAs } = connection
    const place = counts.get(knownAs) ?? 0
    counts.set(knownAs, place + 1)
    const rank = rankOf(knownAs, place, slownessOf(connection))
    if (rank !== 'kept') candidates.push({ connection, rank, knownAs, place })
  }
  return candidates.sort(
    (one, other) => ranks.indexOf(other.rank) - ranks.indexOf(one.rank) || one.place - other.place,
  )
}

function rankOf(knownAs: string | null, place: number, slowness: Slowness): Rank | 'kept' {
  if (knownAs === null && slowness !== null) return slowness
  if (place >= limits.connectionsKeptPerPartner) return 'of a crowd'
  return slowness === null ? 'kept' : 'known, but slow'
}

/** Much may have happened since all were ranked. */
export function stillGivesWay(
  { connection, rank, knownAs }: Candidate,
  slownessOf: (connection: Connection) => Slowness,
): boolean {
  if (connection.socket.destroyed) return false
  return rank === 'of a crowd' ? connection.knownAs === knownAs : slownessOf(connection) !== null
}
