import type { Logger } from 'pino'
import { type Alert, type AlertKind, alertKinds, alertText } from './alert.ts'
import type { AlertCheck } from './alert-checker.ts'

/** By kind: how many this process has logged, and how many are open. */
type AlertMeasures = { kind: AlertKind; logged: number; open: number }[]

type AlertWatch = {
  measured(): AlertMeasures
  /** Checks now, or waits for the check that is running. */
  look(): Promise<void>
  end(): Promise<void>
}

type WatchParts = {
  check(now: number): Promise<AlertCheck>
  clock: { now(): number }
  log: Pick<Logger, 'warn'>
  /** For the log: why the check failed. */
  explain(error: unknown): unknown
}

const everyMs = 5_000

/** Looks every few seconds at what the ledger and the journal say, and logs one line for each alert that begins. */
export function watchAlerts({ check, clock, log, explain }: WatchParts): AlertWatch {
  const logged = new Map<AlertKind, number>()
  let open: Alert[] = []
  let looking: Promise<void> | null = null
  let failing = false

  async function lookOnce(): Promise<void> {
    try {
      const { begun, open: openNow } = await check(clock.now())
      open = openNow
      for (const alert of begun) {
        logged.set(alert.kind, (logged.get(alert.kind) ?? 0) + 1)
        logAlert(log, alert)
      }
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: explain(error) }, 'alerts cannot be checked now; awards are not affected')
      failing = true
    }
  }
  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = null
    })
    return looking
  }

  const timer = setInterval(look, everyMs)
  timer.unref()
  return {
    look,
    measured: () =>
      alertKinds.map((kind) => ({
        kind,
        logged: logged.get(kind) ?? 0,
        open: open.filter((alert) => alert.kind === kind).length,
      })),
    async end() {
      clearInterval(timer)
      await looking
    },
  }
}

function logAlert(log: Pick<Logger, 'warn'>, alert: Alert): void {
  const { kind, partnerId, tenantId, keyId, facts } = alert
  const place = { ...(tenantId !== null && { tenantId }), ...(keyId !== null && { keyId }) }
  log.warn({ alert: kind, partnerId, ...place, ...facts }, alertText(alert))
}
