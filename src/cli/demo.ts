import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { readConfig, readEnvironment } from '../config.ts'
import { openMasterKey } from '../open-master-key.ts'
import { createPartner } from '../partners/create-partner.ts'
import { openStore } from '../stores/open.ts'
import { awardCurl, historyCurl } from '../terminal/signed-curl.ts'
import { exportLines } from './credentials-text.ts'
import { type SigningKey, signedHeaders } from './signed-headers.ts'
import { bold } from './output.ts'
import { endOf, startOrExplain, stopOnSignals } from './serve.ts'

const tenantId = 'demo-tenant'
const pauseMs = 1_000

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('serve a temporary ledger with a demo partner and some traffic')
    .action(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'partner-credit-demo-'))
      const removeLedger = () => rmSync(folder, { recursive: true, force: true })
      process.once('exit', removeLedger)
      const config = readConfig({ ...readEnvironment(), DATABASE_URL: `sqlite:${join(folder, 'demo.db')}` })

      const store = await openStore(config.database, { create: true })
      const operator = { store: store.partners, actor: 'demo', now: systemClock.now() }
      const partner = {
        partnerId: 'demo',
        name: 'Demo',
        tenants: [tenantId],
        perTx: null,
        perPartnerDay: null,
      }
      const key = await createPartner(operator, partner, await openMasterKey(config, store.partners))
      await store.close()

      const { createLog, serve } = await import('../serve.ts')
      const service = await startOrExplain(() => serve(config, { log: createLog('warn') }))
      const end = endOf(config)
      stopOnSignals(service, {
        ...end,
        atOnce() {
          removeLedger()
          end.atOnce()
        },
      })
      console.log(welcome(service.partnerUrl, key))
      await keepTrafficFlowing(service.partnerUrl, key)
    })
}

function welcome(url: string, key: SigningKey): string {
  const timestamp = String(systemClock.now())
  const body = JSON.stringify({
    tenantId,
    orderId: `mine-${timestamp}`,
    userEmail: 'you@example.com',
    amount: 12_345,
  })
  return `
${bold('Partner Credit demo')} on ${url}, with a ledger that is deleted on exit.

${bold('Credit 12 EP')} (the signature is valid for five minutes; run it twice to see DUPLICATE):

${awardCurl(url, signedHeaders(key, timestamp, body), body)}

${bold('List the awards')}, newest first:

${historyCurl(url, signedHeaders(key, timestamp, tenantId), tenantId)}

To sign your own requests, export these and run: node bin/partner-credit.js sign --help

${exportLines(key, url)}

Press Ctrl-C to stop. Demo traffic:
`
}

/** Mostly new awards, with an occasional replay, conflict and amount that is too small. */
async function keepTrafficFlowing(url: string, key: SigningKey): Promise<never> {
  for (let order = 1; ; order++) {
    const award = {
      tenantId,
      orderId: `demo-${order}`,
      userEmail: `user${order % 7}@example.com`,
      amount: 1000 + order * 137,
    }
    await show(url, key, award)
    if (order % 4 === 0) await show(url, key, award)
    if (order % 6 === 0) await show(url, key, { ...award, amount: award.amount + 1 })
    if (order % 9 === 0) await show(url, key, { ...award, orderId: `small-${order}`, amount: 999 })
    await sleep(pauseMs)
  }
}

async function show(url: string, key: SigningKey, award: { orderId: string; amount: number }): Promise<void> {
  const body = JSON.stringify(award)
  const headers = signedHeaders(key, String(systemClock.now()), body)
  try {
    const response = await fetch(`${url}/v1/ep/webhook`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    })
    const answer = (await response.json()) as { code?: string; points?: number }
    const what = answer.code ?? `COMPLETED, ${answer.points} EP`
    console.log(
      `  ${response.status}  ${award.orderId.padEnd(10)} amount ${String(award.amount).padEnd(6)} ${what}`,
    )
  } catch {
    // The service is stopping, and the process is about to exit.
  }
}
