import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../../clock.ts'
import { type Config, readConfig, readEnvironment } from '../../config.ts'
import { openReading } from '../../stores/open.ts'
import { endOf, startOrExplain, stopOnSignals } from '../serve.ts'
import { statusLine } from '../status-line.ts'
import { verificationText, verifyWithProgress } from '../verify.ts'
import { type DemoKeys, makePast } from './make-past.ts'
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
      const keys = await pastUnlessStopped(config)

      const { createLog } = await import('../../log.ts')
      const { serve } = await import('../../serve.ts')
      const service = await startOrExplain(() => serve(config, { log: createLog('warn') }))
      const end = endOf(config)
      const line = statusLine(process.stdout)
      const traffic = demoTraffic({ url: service.partnerUrl, keys, show: line.show })
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
      console.log(welcome({ url: service.partnerUrl, key: keys.get('acme')!, databaseUrl }))
      await traffic.flow()
    })
}

/** Ctrl-C meanwhile ends the process by an exit, which removes the ledger. */
async function pastUnlessStopped(config: Config): Promise<DemoKeys> {
  const exit = () => process.exit(1)
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, exit)
  const keys = await makePast(config, systemClock.now())
  for (const signal of signals) process.off(signal, exit)
  return keys
}
