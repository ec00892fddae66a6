import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Logger } from 'pino'
import { systemClock } from '../../clock.ts'
import { type Config, readConfig, readEnvironment } from '../../config.ts'
import { openReading } from '../../stores/open.ts'
import { endOf, startOrExplain, stopOnSignals } from '../serve.ts'
import { statusLine } from '../status-line.ts'
import { verificationText, verifyWithProgress } from '../verify.ts'
import type { DemoService } from './serve-with-past.ts'
import { demoTraffic } from './traffic.ts'
import { welcome } from './welcome.ts'

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('serve a temporary ledger with three partners, some past days and traffic')
    .action(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'partner-credit-demo-'))
      const removeLedger = () => rmSync(folder, { recursive: true, force: true })
      process.once('exit', removeLedger)
      const databaseUrl = `sqlite:${join(folder, 'demo.db')}`
      const config = readConfig({ ...readEnvironment(), DATABASE_URL: databaseUrl })
      const { createLog } = await import('../../log.ts')
      // Alerts are warnings, and would scroll the instructions away: the command alerts shows them.
      const { service, keys, account } = await pastUnlessStopped(config, createLog('error'))
      const end = endOf(config)
      const line = statusLine(process.stdout)
      const traffic = demoTraffic({ url: service.partnerUrl, keys, show: line.show })
      async function stop() {
        await service.stop()
        line.end()
        console.log(`\nDemo traffic: ${traffic.totals()}`)
        const { verification } = await verifyWithProgress(await openReading(config.database), {
          allSteps: true,
        })
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
      const { partnerUrl: url, operatorUrl } = service
      console.log(welcome({ url, operatorUrl, account, key: keys.get('acme')!, databaseUrl }))
      await traffic.flow()
    })
}

/** Ctrl-C meanwhile ends the process by an exit, which removes the ledger. */
async function pastUnlessStopped(config: Config, log: Logger): Promise<DemoService> {
  const exit = () => process.exit(1)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, exit)
  // Imported here, so that the other commands do not load the web server.
  const { serveWithPast } = await import('./serve-with-past.ts')
  const started = await startOrExplain(() => serveWithPast(config, { systemClock, log }))
  for (const signal of signals) process.off(signal, exit)
  return started
}
