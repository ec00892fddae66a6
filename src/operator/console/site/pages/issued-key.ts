import type { IssuedKey } from '../api-answers.ts'
import { secretDialog } from '../components/secret-dialog.ts'

/** A new key as the partner needs it: both values, by the names that the examples in the partner pages read. */
export function issuedKeyDialog({
  issued,
  title,
  onClose,
}: {
  issued: IssuedKey
  title: string
  onClose(): void
}) {
  const { apiKey, signingSecret } = issued
  return secretDialog({
    title,
    text: `API_KEY=${apiKey}\nSIGNING_SECRET=${signingSecret}`,
    advice:
      'Send both to the partner over a channel that others cannot read. The API key is sent with every request; the signing secret never is.',
    ifLost: 'If the secret is lost, rotate the key.',
    onClose,
  })
}
