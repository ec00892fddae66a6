import { eventually } from './eventually.ts'
import type { ServerProcess } from './server-process.ts'

/** Waits until readyz on the operator's port, and the log, say this. A slow machine may need several checks for it. */
export async function operatorReads({ operatorUrl, log }: ServerProcess, said: RegExp): Promise<void> {
  await eventually(`readyz says ${said}`, async () =>
    said.test(await (await fetch(`${operatorUrl}/readyz`)).text()),
  )
  await eventually(`the log says ${said}`, () => log.some((line) => said.test(line)))
}
