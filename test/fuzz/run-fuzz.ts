import { progressBar } from '../../src/cli/progress.ts'
import { readConfig } from '../../src/config.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import type { Report } from '../support/long-run.ts'
import { flipBits } from './bit-flips.ts'
import { type CampaignReport, runCampaign } from './campaign.ts'
import type { Mix } from './draw-request.ts'
import type { Signers } from './fuzz-request.ts'
import { growth } from './memory.ts'
import { makePartners } from './partners.ts'
import { reachableAnswers } from './published.ts'
import { startHandlerTarget, startSocketTarget, type Target } from './target.ts'

type FuzzOptions = { requests: number; flips: number; seed: number }

/** Through the socket, HTTP itself is tested; at the handler, what is behind the signature. */
const socketMix: Mix = { games: 0.4, broken: 0.2 }
const handlerMix: Mix = { games: 0.05, broken: 0 }
const socketShare = 0.4
const roundsMax = 50
const roundRequestsMin = 500
/** With at least this many requests, every kind of response must have been seen. */
const allReachedFrom = 20_000

/** Fuzzes a server process through its sockets and the listeners in this process; flips the bits of signed requests. */
export async function runFuzz({ requests, flips, seed }: FuzzOptions): Promise<Report> {
  const socketRequests = Math.round(requests * socketShare)
  const flipped = await against(startSocketTarget, (target, signers) =>
    flipBits(
      target,
      { signers, now: Date.now, refusedOnly: false, cursors: [], credited: [] },
      { seed, requests: flips },
    ),
  )
  const socket = await campaign(startSocketTarget, { seed, requests: socketRequests, mix: socketMix })
  const handler = await campaign(startHandlerTarget, {
    seed: seed + 1,
    requests: requests - socketRequests,
    mix: handlerMix,
  })
  const server = growth(socket.residentBytes)
  const own = growth(handler.residentBytes)
  const missed =
    requests < allReachedFrom
      ? []
      : reachableAnswers.filter((name) => !socket.answers.has(name) && !handler.answers.has(name))
  return {
    figures: {
      requests: socket.sent + handler.sent,
      'at the socket': socket.sent,
      'at the handler': handler.sent,
      'per second, socket': socket.perSecond,
      'per second, handler': handler.perSecond,
      ...answerFigures(socket, handler),
      credited: socket.credited + handler.credited,
      'credited, client gone': socket.unheard + handler.unheard,
      'cut off by an announced close': socket.cutOff + handler.cutOff,
      'rounds of refusals only, dump unchanged': socket.refusedOnlyRounds + handler.refusedOnlyRounds,
      'server memory, warm': server.warm,
      'server memory, end': server.end,
      'server memory, end/warm': server.ratio,
      'own memory with the handler, end/warm': own.ratio,
      'bit flips': flipped.flips,
      'bit flips, equivalent by definition': flipped.equivalent,
      'bit flips, ok without being equivalent': flipped.violations.filter((text) =>
        text.includes('must not be ok'),
      ).length,
    },
    violations: [
      ...flipped.violations,
      ...socket.violations,
      ...handler.violations,
      ...(server.unbounded ? [`the server's memory grew from ${server.warm} to ${server.end}`] : []),
      ...missed.map((name) => `no request met ${name}: the fuzz does not come near it`),
    ],
  }
}

async function campaign(
  start: (database: FreshDatabase) => Promise<Target>,
  { seed, requests, mix }: { seed: number; requests: number; mix: Mix },
): Promise<CampaignReport & { perSecond: number }> {
  const rounds = Math.min(roundsMax, Math.max(1, Math.floor(requests / roundRequestsMin)))
  return against(start, async (target, signers) => {
    const bar = progressBar(target.name)
    const started = performance.now()
    const report = await runCampaign(target, signers, { seed, requests, rounds, mix, onProgress: bar.show })
    bar.end()
    return { ...report, perSecond: Math.round(report.sent / ((performance.now() - started) / 1000)) }
  })
}

async function against<T>(
  start: (database: FreshDatabase) => Promise<Target>,
  work: (target: Target, signers: Signers) => Promise<T>,
): Promise<T> {
  const database = await freshDatabase('sqlite')
  try {
    const signers = await makePartners(readConfig({ DATABASE_URL: database.url }).database)
    const target = await start(database)
    try {
      return await work(target, signers)
    } finally {
      await target.stop()
    }
  } finally {
    await database.remove()
  }
}

function answerFigures(...reports: CampaignReport[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const { answers } of reports) {
    for (const [name, count] of answers) sums.set(name, (sums.get(name) ?? 0) + count)
  }
  return Object.fromEntries(
    [...sums].sort().map(([name, count]) => [/^\d/.test(name) ? `answered ${name}` : name, count]),
  )
}
