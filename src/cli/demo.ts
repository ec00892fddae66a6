import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { readConfig, readEnvironment } from '../config.ts'
import { openMasterKey } from '../open-master-key.ts'
import { createPartner } from '../partners/create-partner.ts'
import { openReading, openStore } from '../stores/open.ts'
import { awardCurl, historyCurl } from '../terminal/signed-curl.ts'
import { exportLines } from './credentials-text.ts'
import { type SigningKey, signedHeaders } from './signed-headers.ts'
import { bold } from './output.ts'
import { demoTraffic } from './demo-traffic.ts'
import { endOf, startOrExplain, stopOnSignals } from './serve.ts'
import { statusLine } from './status-line.ts'
import { verificationText, verifyWithProgress } from './verify.ts'

const tenantId = 't1'

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

      const { createLog } = await import('../log.ts')
      const { serve } = await import('../serve.ts')
      const service = await startOrExplain(() => serve(config, { log: createLog('warn') }))
      const end = endOf(config)
      const line = statusLine(process.stdout)
      const traffic = demoTraffic({ url: service.partnerUrl, key, tenantId, show: line.show })
      async function stop() {
        await service.stop()
        line.end()
        console.log(`\nDemo traffic: ${traffic.totals()}`)
        const verification = await verifyWithProgress(await openReading(config.database), { allSteps: true })
        console.log(verificationText(verification))
        if (!verification.sound) throw new Error('the ledger of the demo is not sound')
      }
      stopOnSignals(
        { ...service, stop },
        {
          ...end,
          atOnce() {
            removeLedger()
            end.atOnce()
          },
        },
      )
      console.log(welcome(service.partnerUrl, key))
      await traffic.flow()
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
The docs for partners: ${url}/docs

${bold('Credit 12 EP')} (the signature is valid for five minutes; run it twice to see DUPLICATE):

${awardCurl(url, signedHeaders(key, timestamp, body), body)}

${bold('List the awards')}, newest first:

${historyCurl(url, signedHeaders(key, timestamp, tenantId), tenantId)}

To sign your own requests, export these and run: node bin/partner-credit.js sign --help

${exportLines(key, url)}

Press Ctrl-C to stop; then the ledger is verified. Demo traffic:
`
}
