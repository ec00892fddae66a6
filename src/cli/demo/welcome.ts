import { systemClock } from '../../clock.ts'
import { awardCurl, historyCurl } from '../../terminal/signed-curl.ts'
import { exportLines } from '../credentials-text.ts'
import type { DemoAccount } from './accounts.ts'
import { bold } from '../output.ts'
import { type SigningKey, signedHeaders } from '../signed-headers.ts'

/** The console and its account first; then what to try with the key of the partner acme. */
export function welcome({
  url,
  operatorUrl,
  account,
  key,
  databaseUrl,
}: {
  url: string
  operatorUrl: string
  account: DemoAccount
  key: SigningKey
  databaseUrl: string
}): string {
  const timestamp = String(systemClock.now())
  const tenantId = 't1'
  const body = JSON.stringify({
    tenantId,
    orderId: `mine-${timestamp}`,
    userEmail: 'you@example.com',
    amount: 12_345,
  })
  return `
${bold('Partner Credit demo')}: three partners, six past days and live traffic, in a ledger that is deleted on exit.

${bold('The operator console')}: ${operatorUrl}
  name      ${account.operatorId}
  password  ${account.password}
  To try: who is near a cap? Why was order GX70691 refused? Why did A-10503 get 133 EP and not 134? Suspend a partner.

${bold('The partner API')}: ${url}
The docs for partners: ${url}/docs ("Try it" works with the key below and the tenant t1-test)

${bold('Credit 12 EP')} (the signature is valid for five minutes; run it twice to see DUPLICATE):

${awardCurl(url, signedHeaders(key, timestamp, body), body)}

${bold('List the awards')} of Acme, newest first:

${historyCurl(url, signedHeaders(key, timestamp, tenantId), tenantId)}

To sign your own requests, export these and run: node bin/partner-credit.js sign --help

${exportLines(key, url, 't1-test')}

To ask questions from a second terminal, export this and run, for example: node bin/partner-credit.js usage
(docs/operator/support.md has five questions with their answers)

export DATABASE_URL=${databaseUrl}

Press Ctrl-C to stop; then the ledger is verified. Demo traffic:
`
}
