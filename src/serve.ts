import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { addressList } from './access/address-list.ts'
import { beforeAllChanges, openKeyDirectory } from './access/key-directory.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { watchAlerts } from './alerts/watch.ts'
import { createPartnerListener } from './http/app.ts'
import { Damaged, Unavailable } from './ledger/errors.ts'
import { createJournal } from './journal/journal.ts'
import { createLog, flushLog } from './log.ts'
import { assertOwnMasterKey, openMasterKey } from './open-master-key.ts'
import { createApiThread } from './operator/api/thread/api-thread.ts'
import { createNodeReadings } from './operator/api/thread/node-readings.ts'
import { createOperatorListener } from './operator/app.ts'
import { firstAccountSecret, firstAccountUrl } from './operator/access/first-account.ts'
import type { Metric } from './operator/metrics/metric.ts'
import { createMetrics } from './operator/metrics/metrics.ts'
import type { OtherProcesses } from './operator/metrics/route.ts'
import { type DatabaseLocation, serveStore } from './stores/open.ts'
import type { StoreToServe } from './stores/store.ts'
import { createAddressLimit } from './wire/address-limit.ts'
import { openFilesWarning } from './wire/open-files.ts'
import { shareReadiness } from './wire/readiness.ts'
import { errorForLog } from './wire/request-log.ts'

export type RunningService = {
  partnerUrl: string
  operatorUrl: string
  /** The ledger that it found. */
  database: DatabaseLocation
  /** A partner that the ledger had at the start, if there was one. */
  knownPartner: string | null
  /** Where the first account can be made, while there is none. A secret: not for the log. */
  firstAccountUrl: string | null
  /** Finishes the accepted work, then closes everything. */
  stop(): Promise<void>
  /** What `stop` is waiting for. */
  unfinished(): string
}

export type { Metric, OtherProcesses }

/** What this process counts, for the metrics of a node with several. */
type Counting = { counted(): Metric[] }

/** Writes the journal and looks for alerts, without waiting for the next second. */
type Looking = { lookNow(): Promise<void> }

export type ServeOptions = {
  clock?: Clock
  log?: Logger
  drainGraceMs?: number
  otherProcesses?: OtherProcesses
  journalEveryMs?: number
  latencyEveryMs?: number
}

/** Opens the store, the key directory and the ledger, then listens. `stop` undoes this in reverse order. */
export async function serve(
  config: Config,
  {
    clock = systemClock,
    log = createLog(config.logLevel, { processes: config.workers }),
    drainGraceMs,
    otherProcesses,
    journalEveryMs,
    latencyEveryMs,
  }: ServeOptions = {},
): Promise<RunningService & Counting & Looking> {
  const cleanup = new AsyncDisposableStack()
  let unfinished = 'nothing'
  function atEnd(what: string, work: () => Promise<void> | void): void {
    cleanup.defer(() => {
      unfinished = what
      return work()
    })
  }
  try {
    const warn = (message: string) => log.warn(message)
    const fewFiles = openFilesWarning()
    if (fewFiles !== null) warn(fewFiles)
    const store = await serveStore(config.database, {
      caps: config.caps,
      clock,
      warn,
      admits: (values) => assertOwnMasterKey(config, values),
    })
    atEnd('closing the database', () => store.close())
    const masterKey = await openMasterKey(config, store.partners)
    const keysFailed = (error: unknown) =>
      log.error({ err: errorForLog(error) }, 'the key directory could not be refreshed')
    const keys = await openKeyDirectory(store.partners, masterKey, keysFailed, clock)
    cleanup.defer(() => keys.close())
    const [known] = await store.partners.changedPartners(beforeAllChanges, 1)
    const watch = store.watchSettings(keys.poll)
    atEnd('closing the settings watch', () => watch.close())

    const { refusalDays } = config
    const tenants = new Set(await tenantIds(store, warn))
    const writer = store.openJournal({ refusalDays, warn })
    const journal = createJournal({
      writer,
      masterKey,
      clock,
      writeEveryMs: journalEveryMs,
      node: nodeName(),
      keepsRefusals: refusalDays > 0,
      tenantExists: (tenantId) => tenants.has(tenantId) || keys.hasTenant(tenantId),
      onChange(failure, { dropped }) {
        if (failure === null) log.info({ dropped }, 'the journal is written again')
        else
          log.warn(
            { err: errorForLog(failure.error) },
            'the journal cannot be written: awards go on without it',
          )
      },
    })
    atEnd('writing the journal', () => journal.close())
    const alerts = watchAlerts({
      check: writer.checkAlerts,
      clock,
      log,
      explain: errorForLog,
    })
    atEnd('checking for alerts', () => alerts.end())

    const { ledger } = store
    atEnd('committing the accepted awards', () => ledger.close())
    const { clockWindowMs } = config
    const ready = shareReadiness(
      async () => [...(await ledger.ready()), ...journal.warnings(), ...keys.ready()],
      systemClock,
    )
    const trustedProxies = addressList(config.trustProxy)
    const addressLimit = () => createAddressLimit(config.connectionsPerAddress, trustedProxies)
    const partnerListener = createPartnerListener({
      ledger,
      keys,
      clock,
      journal,
      clockWindowMs,
      log,
      ready,
      addressLimit: addressLimit(),
      trustedProxies,
    })
    const metrics = createMetrics({
      listeners: () => ({ partner: partnerListener, operator: operatorListener }),
      store,
      journal,
      alerts,
      clock,
      systemClock,
    })
    cleanup.defer(metrics.end)
    const node = createNodeReadings({
      requests: partnerListener.requests,
      readings: store.readings,
      ready,
      clock,
      systemClock,
      keepEveryMs: latencyEveryMs,
    })
    cleanup.defer(node.end)
    const apiThread = createApiThread({
      // The key is known to be right: the thread need not open it, which writes to the ledger.
      config: { ...config, database: store.location, masterKey },
      clock: systemClock,
      log,
      readings: node.read,
    })
    atEnd('closing the operator API', () => apiThread.close())
    const operatorListener = createOperatorListener({
      log,
      ready,
      addressLimit: addressLimit(),
      trustedProxies,
      metrics,
      others: otherProcesses,
      api: { thread: apiThread, clock },
    })
    atEnd('responding to the requests in flight', async () => {
      await Promise.all([partnerListener.drain(drainGraceMs), operatorListener.drain(drainGraceMs)])
    })

    const partnerUrl = await partnerListener.listen({ host: config.host, port: config.port })
    const operatorUrl = await operatorListener.listen({
      host: config.operatorHost,
      port: config.operatorPort,
    })
    const { location } = store
    const schema = location.kind === 'postgres' ? { schema: location.schema } : {}
    log.info({ partnerUrl, operatorUrl, ...schema }, 'serving')
    const isNew = await hasNoAccount(store)
    const firstSecret = firstAccountSecret(masterKey, clock.now())
    return {
      partnerUrl,
      operatorUrl,
      database: store.location,
      knownPartner: known?.partnerId ?? null,
      firstAccountUrl: isNew ? firstAccountUrl(config.operatorUrl ?? operatorUrl, firstSecret) : null,
      async stop() {
        await cleanup.disposeAsync()
        log.info('stopped')
        await flushLog(log)
      },
      counted: metrics.counted,
      async lookNow() {
        await journal.flush()
        await alerts.look()
      },
      unfinished: () => unfinished,
    }
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}

/** The journal names only tenants that exist. It can do without those that nobody is granted: a damaged row ends no start. */
async function tenantIds({ partners }: StoreToServe, warn: (message: string) => void): Promise<string[]> {
  try {
    return (await partners.tenants()).map(({ tenantId }) => tenantId)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    warn(error.message)
    return []
  }
}

/** For a hint at the first start. The server is serving by now: a database that is busy at the moment must not end it. */
async function hasNoAccount({ operators }: StoreToServe): Promise<boolean> {
  try {
    return (await operators.operators()).length === 0
  } catch (error) {
    if (error instanceof Unavailable) return false
    throw error
  }
}

/** Names this process in the journal. No two have the same name. */
function nodeName(): string {
  return `${hostname()}-${randomBytes(6).toString('hex')}`
}
