import { shellQuoted } from '../doctor/shell-quoted.ts'
import { type Config, settings } from '../config.ts'
import type { RunningService } from '../serve.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { bold } from './output.ts'

type Started = Pick<RunningService, 'partnerUrl' | 'operatorUrl' | 'knownPartner' | 'firstAccountUrl'> & {
  database: Config['database']
}

/** Where the service is, and the first commands for a newcomer, ready to paste. */
export function firstSteps({
  partnerUrl,
  operatorUrl,
  knownPartner,
  firstAccountUrl,
  database,
}: Started): string {
  return `
${bold('Partner Credit is serving.')}
  partners    ${partnerUrl}
  docs        ${partnerUrl}/docs
  operators   ${operatorUrl}

${knownPartner === null ? newLedger(partnerUrl, database) : ledgerInUse(knownPartner, database)}
${firstAccountUrl === null ? '' : firstAccount(firstAccountUrl, database)}
Press Ctrl-C to stop. The log goes to standard error.
`
}

function newLedger(partnerUrl: string, database: Config['database']): string {
  return `${bold('Next, in another terminal:')} create a partner, and paste the lines it prints (export …)

  node bin/partner-credit.js partner create --id acme --name "Acme" --tenant t1 --sandbox-tenant t1-test${databaseFlag(database)}

then send a first award

  BODY='{"tenantId":"t1","orderId":"order-1","userEmail":"ann@example.com","amount":5000}'
  TIMESTAMP=$(date +%s)000
  SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
  curl -i ${partnerUrl}/v1/ep/webhook -H 'Content-Type: application/json' \\
    -H "X-Api-Key: $API_KEY" -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: $SIGNATURE" --data-binary "$BODY"`
}

function ledgerInUse(partnerId: string, database: Config['database']): string {
  return `${bold('This ledger has partners.')} List them:

  node bin/partner-credit.js partner list${databaseFlag(database)}

If a secret is lost, create another key for its partner:

  node bin/partner-credit.js key create ${terminalSafe(partnerId)}${databaseFlag(database)}`
}

function firstAccount(url: string, database: Config['database']): string {
  return `
${bold('Nobody has an account for the console yet.')} Make the first one with this link (once, within a day), or with a command:

  ${url}

  node bin/partner-credit.js operator create NAME --role admin${databaseFlag(database)}
`
}

/** The URL of a shared database may hold a password: it stays in the environment. */
function databaseFlag(database: Config['database']): string {
  if (database.kind !== 'sqlite') return '   # with the same DATABASE_URL and MASTER_KEY'
  const url = `sqlite:${database.path}`
  return url === settings.DATABASE_URL.default
    ? ''
    : ` --database-url ${/[^\w:/.@-]/.test(url) ? shellQuoted(url) : url}`
}
