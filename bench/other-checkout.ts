import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Checkouts from before November 2026 have the same functions in house.ts, under other names. */
const fileNames = ['deployment.ts', 'house.ts']

export function isCheckout(folder: string): boolean {
  return deploymentFileOf(folder) !== undefined
}

/** How that checkout makes its ledgers and starts its servers. */
export async function deploymentsOf(checkout: string): Promise<typeof import('./deployment.ts')> {
  const found = await import(pathToFileURL(deploymentFileOf(checkout)!).href)
  if (found.sqliteHouse === undefined) return found
  return {
    ...found,
    sqliteDeployment: found.sqliteHouse,
    postgresDeployment: found.postgresHouse,
    serveDeployment: found.serveHouse,
  }
}

function deploymentFileOf(checkout: string): string | undefined {
  return fileNames.map((name) => join(checkout, 'bench', name)).find(existsSync)
}
