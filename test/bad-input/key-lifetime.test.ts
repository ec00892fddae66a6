import { equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createKey, rotateKey } from '../../src/partners/create-key.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { type Client, createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, globex, url, clock, config } = service
const invalidSignature = { status: 401, code: 'INVALID_SIGNATURE' }
const hourMs = 3_600_000

/** A running server notices an operator's change within a second. */
const withinASecond = { withinMs: 1000 }
const isAccepted = async (client: Client) => (await client.history('t1')).status === 200

describe('the old secret during and after the overlap of a rotation', () => {
  test('both are accepted during the overlap; afterwards the old one is 401 INVALID_SIGNATURE', async () => {
    const rotated = await service.operate((operator) =>
      rotateKey(operator, 'acme', hourMs, config.masterKey!),
    )
    const renewed = createClient(url, rotated, clock)
    await eventually('the new key is accepted', () => isAccepted(renewed), withinASecond)

    clock.advance(hourMs - 1)
    equal((await acme.award(privateFields)).status, 202)
    equal((await renewed.award(privateFields)).status, 202)

    clock.advance(1)
    await assertRefused(service, invalidSignature, () => acme.award(privateFields))
    await assertRefused(service, invalidSignature, () => acme.history('t1'))
    equal((await renewed.award(privateFields)).status, 202)
  })
})

describe('a revoked key', () => {
  test('is 401 INVALID_SIGNATURE within a second; the others of the partner stay', async () => {
    const issued = await service.operate((operator) => createKey(operator, 'globex', config.masterKey!))
    const second = createClient(url, issued, clock)
    await eventually('the second key is accepted', () => isAccepted(second), withinASecond)

    await service.operate((operator) => revokeKey(operator, issued.keyId))
    await eventually('the second key is refused', async () => !(await isAccepted(second)), withinASecond)
    await assertRefused(service, invalidSignature, () => second.award(privateFields))
    equal((await globex.award(privateFields)).status, 202)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
