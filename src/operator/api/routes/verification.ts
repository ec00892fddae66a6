import { isoTime } from '../../../rules/iso-time.ts'
import type { ApiParts } from '../parts.ts'
import { route } from '../route.ts'
import { verification } from '../schemas/records.ts'
import type { RunningVerification, VerificationRun } from '../verification/record.ts'

const tag = 'Ledger'

export const verificationRoutes = [
  route({
    method: 'GET',
    path: '/verification',
    tag,
    summary: 'The verification that runs, and earlier ones',
    needs: 'verification.read',
    response: verification,
    handle: async ({ parts }) => ({ body: await shown(parts) }),
  }),

  route({
    method: 'POST',
    path: '/verification',
    tag,
    summary: 'Start a verification of the whole ledger',
    description:
      'It runs in a process of its own, at low priority. One runs at a time on a machine; otherwise 409.',
    needs: 'verification.start',
    status: 202,
    response: verification,
    async handle({ identity, now, parts }) {
      await parts.verifications.start({ startedBy: identity!.actor, startedAt: now })
      return { body: await shown(parts) }
    },
  }),
]

async function shown({ verifications, readings }: Pick<ApiParts, 'verifications' | 'readings'>) {
  const { current, earlier } = await verifications.read()
  const soundAt = earlier.find(({ state }) => state === 'sound')?.endedAt ?? 0
  // What a command has found, the main thread knows.
  const known = await readings()
  const verifiedAt = Math.max(soundAt, known?.verifiedAt ?? 0)
  const notSoundAt = known?.notSoundAt ?? null
  return {
    current: current === null ? null : shownCurrent(current),
    earlier: earlier.map(shownRun),
    verifiedAt: verifiedAt === 0 ? null : isoTime(verifiedAt),
    notSoundAt: notSoundAt === null ? null : isoTime(notSoundAt),
  }
}

function shownCurrent({ step, done, stepSeconds, ...run }: RunningVerification) {
  const secondsLeft = done === 0 ? null : Math.round((stepSeconds * (1 - done)) / done)
  return { ...shownRun(run), step, done, secondsLeft }
}

function shownRun({
  startedAt,
  startedBy,
  endedAt,
  state,
  entries,
  accounts,
  userDays,
  problem,
}: VerificationRun) {
  return {
    startedAt: isoTime(startedAt),
    startedBy,
    endedAt: endedAt === null ? null : isoTime(endedAt),
    state,
    entries,
    accounts,
    userDays,
    problem,
  }
}
