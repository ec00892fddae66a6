import { type Config, settings } from '../config.ts'
import { bold } from './output.ts'

type FirstSteps = { partnerUrl: string; operatorUrl: string; database: Config['database'] }

/** The first commands for a newcomer, ready to paste. */
export function firstSteps({ partnerUrl, operatorUrl, database }: FirstSteps): string {
  return `
${bold('Partner Credit is serving.')}
  partners    ${partnerUrl}
  docs        ${partnerUrl}/docs
  operators   ${operatorUrl}

${bold('Next, in another terminal:')} create a partner, and paste the two lines it prints (API_KEY and SIGNING_SECRET)

  node bin/partner-credit.js partner create --id acme --name "Acme" --tenant t1${databaseFlag(database)}

then send a first award

  BODY='{"tenantId":"t1","orderId":"order-1","userEmail":"ann@example.com","amount":5000}'
  TIMESTAMP=$(date +%s)000
  SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
  curl -i ${partnerUrl}/v1/ep/webhook -H 'Content-Type: application/json' \\
    -H "X-Api-Key: $API_KEY" -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: $SIGNATURE" --data-binary "$BODY"

Press Ctrl-C to stop. The log goes to standard error.
`
}

/** The URL of a shared database may hold a password: it stays in the environment. */
function databaseFlag(database: Config['database']): string {
  if (database.kind !== 'sqlite') return '   # with the same DATABASE_URL and MASTER_KEY'
  const url = `sqlite:${database.path}`
  return url === settings.DATABASE_URL.default ? '' : ` --database-url ${url}`
}
