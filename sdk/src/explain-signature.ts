import { InvalidSignatureError } from './service-errors.ts'
import { type Bytes, hex } from './sign.ts'

/**
 * The client signs exactly the bytes that it sends. So either the body was changed on the way, or the key or the secret is
 * wrong. The hash of the body that arrived tells which.
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
