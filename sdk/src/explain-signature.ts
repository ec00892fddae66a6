import { InvalidSignatureError } from './service-errors.ts'
import { type Bytes, hex } from './sign.ts'

/**
 * Nothing here signs other bytes than it sends. So either the body that arrived is another one, or key and secret are
 * not what the service has; the hash of what arrived tells which.
 */
export async function explainSignature(
  error: InvalidSignatureError,
  body: Bytes,
): Promise<InvalidSignatureError> {
  const isUnchanged = hex(await crypto.subtle.digest('SHA-256', body)) === error.bodySha256
  const hint = isUnchanged
    ? 'The request arrived as it was sent: key and secret do not belong together, or the key is unknown, revoked or expired.'
    : `${body.length} bytes were sent: something on the way changes the body.`
  return new InvalidSignatureError(`${error.message}. ${hint}`, error, error)
}
