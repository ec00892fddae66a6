import { shownKey } from '../../../answers/shown-settings.ts'
import { createKey, replaceKey } from '../../../partners/create-key.ts'
import { revokeKey } from '../../../partners/revoke-key.ts'
import { operatorOf } from '../operator-of.ts'
import { route } from '../route.ts'
import { issuedKey, keyRotation, reasonOnly, revokedKey } from '../schemas/partners.ts'
import { exact, partnerId, text } from '../schemas/values.ts'

const tag = 'Keys'
const once = 'The signing secret is only in this response.'
const ofKey = exact({ partnerId, keyId: text("The key's id.") })

export const keyRoutes = [
  route({
    method: 'POST',
    path: '/partners/{partnerId}/keys',
    tag,
    summary: 'Create another key',
    description: `The other keys stay valid. ${once}`,
    needs: 'keys.write',
    params: exact({ partnerId }),
    body: reasonOnly,
    status: 201,
    response: issuedKey,
    async handle(call) {
      const operator = await operatorOf(call, call.body.reason)
      return { body: await createKey(operator, call.params.partnerId, await call.parts.masterKey()) }
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/keys/{keyId}/rotate',
    tag,
    summary: 'Replace a key by a new one',
    description: `The old key expires after the overlap, so that the partner can switch without an interruption. ${once}`,
    needs: 'keys.write',
    params: ofKey,
    body: keyRotation,
    status: 201,
    response: issuedKey,
    async handle(call) {
      const { overlapSeconds, reason } = call.body
      const { keyId } = call.params
      const operator = await operatorOf(call, reason)
      const old = { overlapMs: overlapSeconds * 1_000, keyId }
      return { body: await replaceKey(operator, call.params.partnerId, old, await call.parts.masterKey()) }
    },
  }),

  route({
    method: 'POST',
    path: '/partners/{partnerId}/keys/{keyId}/revoke',
    tag,
    summary: 'Revoke a key',
    description: 'It stops working within a second. A key that was already revoked is refused.',
    needs: 'keys.write',
    params: ofKey,
    body: reasonOnly,
    response: revokedKey,
    async handle(call) {
      const operator = await operatorOf(call, call.body.reason)
      const { partnerId, key } = await revokeKey(operator, call.params.keyId, call.params.partnerId)
      return { body: { partnerId, ...shownKey(key) } }
    },
  }),
]
