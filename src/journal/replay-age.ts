/** How soon after the original a replay came: the upper bounds, and the names they have in the journal. */
const ages = [
  { upToMs: 1_000, name: 'within 1 s' },
  { upToMs: 10_000, name: 'within 10 s' },
  { upToMs: 60_000, name: 'within 1 min' },
  { upToMs: 600_000, name: 'within 10 min' },
  { upToMs: 3_600_000, name: 'within 1 h' },
  { upToMs: 86_400_000, name: 'within 1 day' },
] as const
const later = 'later'

/** In their order. Within a second a partner most likely sends everything twice; within minutes it retries. */
export const replayAges: readonly string[] = [...ages.map(({ name }) => name), later]

export function replayAge(ms: number): string {
  for (const { upToMs, name } of ages) if (ms <= upToMs) return name
  return later
}
