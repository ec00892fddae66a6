import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setPartnerCaps } from '../partners/set-partner-caps.ts'
import { complaintOf, documentOf, runCommand, textOf } from '../../test/support/command-line.ts'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { startService } from '../../test/support/service.ts'

test('alerts shows what was told, by partner, kind and time, and its exit code says whether there was something', async (t) => {
  const database = await freshDatabase('sqlite')
  const service = await startService(t, {}, { nodes: 1, database })
  await service.operate((operator) =>
    setPartnerCaps(operator, 'acme', { perTx: undefined, perPartnerDay: 100 }, undefined),
  )
  await service.acme.award({ amount: 90_000 })
  await service.lookNow()
  const run = (...args: string[]) =>
    runCommand(['alerts', '--since', '2026-01-01', ...args], {
      cwd: process.cwd(),
      environment: { DATABASE_URL: database.url },
    })

  const shown = textOf(await run())
  assert.equal(
    shown,
    '2026-11-15T05:00:00.000Z  capNear  (open)\n  acme has used 90 of 100 EP of its perPartnerDay in t1\n',
  )
  assert.deepEqual(documentOf(await run('--json', '--partner', 'acme', '--kind', 'capNear')), {
    alerts: [
      {
        kind: 'capNear',
        partnerId: 'acme',
        tenantId: 't1',
        keyId: null,
        facts: { used: 90, limit: 100 },
        raisedAt: '2026-11-15T05:00:00.000Z',
        endedAt: null,
        text: 'acme has used 90 of 100 EP of its perPartnerDay in t1',
      },
    ],
    older: 0,
  })
  const none = await run('--partner', 'globex')
  assert.deepEqual([none.code, none.stdout], [3, 'no alerts\n'])
  assert.match(complaintOf(await run('--partner', 'acm'), 1), /no partner "acm" \(did you mean "acme"\?\)/)
  assert.match(complaintOf(await run('--kind', 'capnear'), 2), /Did you mean capNear\?/)
  assert.match(complaintOf(await run('--since', 'monday'), 2), /24h or 7d, a day such as 2026-11-16/)
})
