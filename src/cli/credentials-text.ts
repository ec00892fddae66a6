import type { IssuedKey } from '../partners/create-key.ts'
import { bold } from './output.ts'

/** The tenant that the examples use, and what to know about it. */
type TenantToTry = { tenantId: string; isSandbox: boolean }

/** A new key as text, with the lines that `exportLines` gives. */
export function credentialsText(key: IssuedKey, baseUrl: string | null, tenant?: TenantToTry): string {
  return [
    `Created key ${key.keyId} for ${key.partnerId}. ${bold('The secret is shown only once: store it now.')}`,
    `If it is lost, create another key: key create ${key.partnerId}`,
    'A server that is running accepts the key within a second.',
    ...(tenant?.isSandbox ? ['TENANT_ID is a sandbox tenant, for tests: its awards do not count.'] : []),
    '',
    exportLines(key, baseUrl, tenant?.tenantId),
  ].join('\n')
}

/** To paste into a shell: the names that curl in our docs, the examples, the SDK's README and both command lines use. */
export function exportLines(
  { apiKey, signingSecret }: Pick<IssuedKey, 'apiKey' | 'signingSecret'>,
  baseUrl: string | null,
  tenantId?: string,
): string {
  return [
    ...(baseUrl === null ? [] : [`export BASE_URL=${baseUrl}`]),
    `export API_KEY=${apiKey}`,
    `export SIGNING_SECRET=${signingSecret}`,
    ...(tenantId === undefined ? [] : [`export TENANT_ID=${tenantId}`]),
  ].join('\n')
}
