import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { integerBelow } from '../support/seeded-random.ts'
import type { ServerProcess } from '../support/server-process.ts'
import type { Event, HistoryLog } from './history-log.ts'
import { play, type Scene } from './play.ts'
import { scenario } from './scenario.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const roomyMaxMs = 200
const fullMaxMs = 200
const spareBytesMax = 65_536
const killShare = 0.3

/**
 * Two ways in which a disk refuses a write, both reported by the kernel to the real process: it is full (ENOSPC, on a file
 * system in memory that shrinks to what is on it; only where mounting is allowed), or writing beyond a place in a file
 * fails (EFBIG, by a limit on the process: to SQLite an I/O error like EIO, often in the middle of a page).
 */
export const diskFull = scenario({
  what: 'the disk refuses writes under load, by ENOSPC and by an I/O error, then takes them again',
  defaults: { rounds: 10 },
  async run({ rounds, seed }) {
    const disk = mountSmallDisk()
    const database = disk?.database ?? (await freshDatabase('sqlite'))
    const walPath = `${database.url.replace('sqlite:', '')}-wal`
    return await play({ seed, database }, (scene) => refuseAndTake(scene, { rounds, disk, walPath }))
  },
})

type Plan = { rounds: number; disk: SmallDisk | null; walPath: string }

async function refuseAndTake(scene: Scene, { rounds, disk, walPath }: Plan) {
  const { startServer, startTraffic, log, random, show } = scene
  const figures = { full: 0, 'I/O errors': 0, 'killed while full': 0, 'back after ms, at most': 0 }
  const violations: string[] = []
  let server: ServerProcess | null = await startServer()
  const traffic = startTraffic({ urls: () => (server === null ? [] : [server.url]) })

  async function round(): Promise<void> {
    const running = server!
    const refusedFrom = log.events.length
    const isFull = disk !== null && random() < 0.5
    if (isFull) disk.fill(integerBelow(random, spareBytesMax))
    else limitFiles(running.pid, integerBelow(random, statSync(walPath).size))
    figures[isFull ? 'full' : 'I/O errors']++
    await eventually('an award is 503', () => happened(log, refusedFrom, wasUnavailable))
    await sleep(random() * fullMaxMs)
    const { status } = await send(`${running.url}/livez`)
    if (status !== 200) violations.push(`I28: /livez was ${status} while the disk was full`)
    const kills = random() < killShare
    if (kills) {
      figures['killed while full']++
      server = null
      await running.end('SIGKILL')
    }

    const roomFrom = log.events.length
    const roomAt = performance.now()
    if (isFull) disk.makeRoom()
    else if (!kills) limitFiles(running.pid, 'unlimited')
    server ??= await startServer()
    await eventually('awards go on once there is room', () => happened(log, roomFrom, wasAccepted))
    if (kills) return
    const tookMs = Math.round(performance.now() - roomAt)
    figures['back after ms, at most'] = Math.max(figures['back after ms, at most'], tookMs)
    if (happened(log, refusedFrom, wasLost)) violations.push('I24: a full disk was answered by no 503')
  }

  try {
    for (let done = 0; done < rounds; done++) {
      await sleep(random() * roomyMaxMs)
      await round()
      show(done / rounds)
    }
  } catch (error) {
    violations.push(`I28: ${(error as Error).message}`)
  }
  await traffic.stop()
  await server?.end('SIGTERM')
  return { figures: { rounds, ...figures }, violations }
}

/** Writes beyond this offset of any file are refused. The pipes of the log are not files. */
function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

const wasAccepted = (event: Event) => event.kind === 'ok' && event.status === 202
const wasUnavailable = (event: Event) => event.kind === 'unknown' && event.why.startsWith('503')
const wasLost = (event: Event) => event.kind === 'unknown' && !event.why.startsWith('503')

function happened({ events }: HistoryLog, from: number, what: (event: Event) => boolean): boolean {
  return events.slice(from).some(what)
}
