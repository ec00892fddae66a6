import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPartner } from '../../src/partners/create-partner.ts'
import { openStore } from '../../src/stores/open.ts'
import { eventually } from './eventually.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { type Lifetime, temporaryFolder } from './service.ts'

export const workerCount = 2
export const workersMasterKey = Buffer.alloc(32, 7)

type WorkersOptions = {
  /** The settings in its `.env`, which a SIGHUP reads again. With a DATABASE_URL, that is the only one. */
  dotEnv?: string
  database?: FreshDatabase
}

/** `serve --workers 2` on a ledger with the partner acme, in a folder with this `.env`. */
export async function startWorkers(t: Lifetime, { dotEnv = '', database: given }: WorkersOptions = {}) {
  const fresh = given ?? (await freshDatabase())
  let server: ServerProcess | undefined
  // Registered first, so that a failure below leaves nothing behind.
  t.after(async () => {
    await server?.end('SIGKILL')
    await fresh.remove()
  })
  const database = { kind: 'postgres', url: fresh.url } as const
  const store = await openStore(database)
  const key = await createPartner(
    { store: store.partners, actor: 'test', now: 0 },
    { partnerId: 'acme', name: 'Acme', tenants: ['t1', 't2'], perTx: null, perPartnerDay: null },
    workersMasterKey,
  )
  await store.close()
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, '.env'), dotEnv, { mode: 0o600 })
  const secret = { MASTER_KEY: workersMasterKey.toString('base64') }
  const environment = dotEnv.includes('DATABASE_URL=') ? secret : { DATABASE_URL: fresh.url, ...secret }
  const args = ['--workers', String(workerCount)]
  const started = await startServerProcess(environment, { args, cwd: folder })
  server = started
  await eventually('the log tells of them too', () => serving(started).length === workerCount)
  return { server: started, key, database, folder, environment }
}

type LogLine = { worker?: number; msg: string }

export function logged(server: ServerProcess, msg: string): LogLine[] {
  return server.log
    .filter((line) => line.startsWith('{') && line.includes(msg)) // to parse them all takes long, and this is asked often
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.msg === msg)
}

/** The process ids of the serving workers, according to the log. */
export function serving(server: ServerProcess): number[] {
  const gone = new Set(
    ['worker ended', 'worker died'].flatMap((msg) => logged(server, msg).map(({ worker }) => worker)),
  )
  return logged(server, 'worker serving')
    .map(({ worker }) => worker!)
    .filter((worker) => !gone.has(worker))
}

/** Kills a worker, and stops its replacement while it starts. */
export async function hangAtStart(t: Lifetime, server: ServerProcess): Promise<number> {
  process.kill(serving(server)[0]!, 'SIGKILL')
  const starting = () => logged(server, 'worker starting')[workerCount]?.worker
  await eventually('another starts', () => starting() !== undefined)
  const worker = starting()!
  process.kill(worker, 'SIGSTOP')
  const isGone = () =>
    ['worker ended', 'worker died'].some((msg) => logged(server, msg).some((gone) => gone.worker === worker))
  t.after(() => void (isGone() || process.kill(worker, 'SIGKILL')))
  return worker
}
