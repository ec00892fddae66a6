import { dirname, join } from 'node:path'
import pino, { type Logger } from 'pino'
import { openKeyDirectory } from './access/key-directory.ts'
import { fileMasterKey, type Keepsakes, proveMasterKey } from './access/master-key.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { createPartnerDoor } from './http/app.ts'
import { createBatchWriter } from './ledger/batch-writer.ts'
import { createOperatorDoor } from './operator/app.ts'
import { serveSqlite } from './stores/sqlite/open.ts'
import { errorForLog } from './wire/request-log.ts'

export type RunningService = {
  partnerUrl: string
  operatorUrl: string
  /** Finishes what was accepted, then lets go of everything. */
  stop(): Promise<void>
}

/** The house put together: store → key directory → ledger → doors → listen. Taken apart in reverse. */
export async function serve(
  config: Config,
  { clock = systemClock, log = createLog() }: { clock?: Clock; log?: Logger } = {},
): Promise<RunningService> {
  const house = new AsyncDisposableStack()
  try {
    const store = await serveSqlite(config.databasePath, config.caps, clock)
    house.defer(() => store.close())
    const masterKey = await openMasterKey(config, store.partners)
    const keys = await openKeyDirectory(store.partners, masterKey, (error) =>
      log.error({ err: errorForLog(error) }, 'the key directory could not be refreshed'),
    )
    house.defer(() => keys.close())

    const { ledger } = store
    const writer = createBatchWriter(ledger, clock)
    house.defer(() => writer.close())
    const { clockWindowMs } = config
    const partnerDoor = createPartnerDoor({ writer, ledger, keys, clock, clockWindowMs, log })
    const operatorDoor = createOperatorDoor({ ledger, log })
    house.defer(async () => {
      await Promise.all([partnerDoor.drain(), operatorDoor.drain()])
    })

    const partnerUrl = await partnerDoor.listen({ host: config.host, port: config.port })
    const operatorUrl = await operatorDoor.listen({ host: config.operatorHost, port: config.operatorPort })
    log.info({ partnerUrl, operatorUrl }, 'serving')
    return {
      partnerUrl,
      operatorUrl,
      async stop() {
        await house.disposeAsync()
        log.info('stopped')
      },
    }
  } catch (error) {
    await house.disposeAsync()
    throw error
  }
}

/** The key that seals this ledger's secrets, proved to be the right one. */
export async function openMasterKey(config: Config, store: Keepsakes): Promise<Uint8Array> {
  const path = join(dirname(config.databasePath), 'master.key')
  const masterKey = config.masterKey ?? (await fileMasterKey(store, path))
  await proveMasterKey(store, masterKey)
  return masterKey
}

/** If nobody reads the log, lines are dropped past this many bytes: better than growing without end. */
const logBufferMax = 4_194_304

/** JSON lines on standard error: standard output is for people. */
export function createLog(): Logger {
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false, maxLength: logBufferMax }),
  )
}
