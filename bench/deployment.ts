import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type PartnerKey, setStage } from '../test/chaos/stage.ts'
import { operatorsCitus } from '../test/support/citus-database.ts'
import { unmigratedPostgres } from '../test/support/fresh-database.ts'
import { migrateStore } from '../src/stores/open.ts'
import { startServerProcess } from '../test/support/server-process.ts'
import { alive, type Child } from './child.ts'

/** A ledger with 100 partners of 10 tenants each, none of whom can meet a cap, and the service on it. */
export type Deployment = {
  databaseUrl: string
  environment: Record<string, string>
  partners: PartnerKey[]
  /** The first partner with its first tenant: one account. */
  hot: PartnerKey[]
  /** Awards that were acknowledged here, for the audit. */
  acknowledged: number
  remove(): Promise<void>
}

const partnersUsual = 100
const tenants = Array.from({ length: 10 }, (_, index) => `tenant-${index}`)
const noCap = 1_000_000_000_000

/** On the disk of the working directory, as the ledger of `npm start` is: a temporary folder may lie in memory. */
export function benchFolder(): string {
  mkdirSync('data', { recursive: true })
  return mkdtempSync(join('data', 'bench-'))
}

export async function sqliteDeployment(folder: string, partners = partnersUsual): Promise<Deployment> {
  mkdirSync(folder, { recursive: true })
  const url = `sqlite:${join(folder, 'ledger.db')}`
  return withPartners({ url, remove: async () => rmSync(folder, { recursive: true, force: true }) }, partners)
}

/** Without a server it is on the one that was started for the tests. */
export async function postgresDeployment(server?: string): Promise<Deployment> {
  const database = await unmigratedPostgres(server)
  await migrateStore({ kind: 'postgres', url: database.url })
  return withPartners(database, partnersUsual)
}

export async function citusDeployment(coordinator: string): Promise<Deployment> {
  return withPartners(await operatorsCitus(coordinator), partnersUsual)
}

async function withPartners(
  database: { url: string; remove(): Promise<void> },
  partnerCount: number,
): Promise<Deployment> {
  const plans = Array.from({ length: partnerCount }, (_, index) => ({
    partnerId: `partner-${String(index).padStart(2, '0')}`,
    tenants,
    perPartnerDay: noCap,
  }))
  const { environment, partners } = await setStage(database, { partners: plans })
  return deploymentOf(database.url, environment, partners, () => database.remove())
}

export function deploymentOf(
  databaseUrl: string,
  environment: Record<string, string>,
  partners: PartnerKey[],
  remove: () => Promise<void>,
): Deployment {
  const [first] = partners
  const hot = [{ ...first!, tenants: first!.tenants.slice(0, 1) }]
  const open = { ...environment, CAP_PER_USER_DAY: String(noCap) }
  return { databaseUrl, environment: open, partners, hot, acknowledged: 0, remove }
}

/** As `npm start` runs it, with its usual log, which goes to a file. */
export async function serveDeployment({ environment }: Deployment, logFile: string): Promise<Child> {
  mkdirSync(dirname(logFile), { recursive: true })
  const server = await startServerProcess(environment, { logFile })
  return alive({ pid: server.pid, url: server.url, end: async () => void (await server.end('SIGTERM')) })
}
