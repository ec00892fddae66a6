import { match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runCommand, textOf } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Each makes or lists an award with only the variables that were pasted into the shell. */
const uses = {
  curl: {
    script: `BODY='{"tenantId":"t1","orderId":"by-curl","userEmail":"ann@example.com","amount":5250}'
TIMESTAMP=$(date +%s)000
SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
curl -s "$BASE_URL/v1/ep/webhook" -H 'Content-Type: application/json' \
  -H "X-Api-Key: $API_KEY" -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: $SIGNATURE" --data-binary "$BODY"`,
    prints: /"orderId":"by-curl","points":5/,
  },
  'the example in shell': { script: 'bash examples/award.sh', prints: /^20[02] .*\n200 .*DUPLICATE/ },
  'the example in TypeScript': { script: '"$NODE" examples/award.ts', prints: /^20[02] .*\n200 .*DUPLICATE/ },
  'the SDK, as its README has it': {
    script: `"$NODE" --input-type=module-typescript -e "
      import { PartnerCredit } from './sdk/src/index.ts'
      const { BASE_URL, API_KEY, SIGNING_SECRET } = process.env
      const credit = new PartnerCredit({ baseUrl: BASE_URL, apiKey: API_KEY, signingSecret: SIGNING_SECRET })
      const order = { tenantId: process.env.TENANT_ID, orderId: 'by-sdk', userEmail: 'ann@example.com', amount: 5250 }
      console.log((await credit.award(order)).points)"`,
    prints: /^5$/m,
  },
  "the partner's command line": {
    script: '"$NODE" partner-cli/src/main.ts award --order by-cli --email ann@example.com --amount 5250',
    prints: /^5 EP credited/,
  },
  "the operator's sign command": {
    script: 'sh -c "$("$NODE" bin/partner-credit.js sign --tenant t1 | sed -n "/^curl/,\\$p")"',
    prints: /^HTTP\/1.1 200 /,
  },
}

describe('what partner create prints, pasted into a shell, is all that is needed for', async () => {
  const folder = temporaryFolder({ after })
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}` }
  const server = await startServerProcess(environment)
  after(() => void server.end('SIGKILL'))
  const create = ['partner', 'create', '--id', 'acme', '--name', 'Acme', '--tenant', 't1']
  // The command line reads the same settings as the server.
  const settings = { ...environment, PORT: new URL(server.url).port }
  const pasted = textOf(await runCommand(create, { cwd: folder, environment: settings }))
    .split('\n')
    .filter((line) => line.startsWith('export '))
    .join('\n')
  await eventually('the server knows the new key', async () => (await statusOf(pasted)) === '200')

  for (const [name, { script, prints }] of Object.entries(uses)) {
    test(name, async () => match(await inShell(`${pasted}\n${script}`), prints))
  }
})

function statusOf(pasted: string): Promise<string> {
  return inShell(`${pasted}
TIMESTAMP=$(date +%s)000
SIGNATURE=$(printf '%s.%s' "$TIMESTAMP" t1 | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
curl -s -o /dev/null -w '%{http_code}' "$BASE_URL/v1/ep/webhook/awards?tenantId=t1" \
  -H "X-Api-Key: $API_KEY" -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: $SIGNATURE"`)
}

/** A shell that has nothing of our environment but the path, and the Node that runs this test. */
async function inShell(script: string): Promise<string> {
  const env = { PATH: process.env.PATH, NODE: process.execPath }
  return (await promisify(execFile)('sh', ['-c', script], { cwd: root, env })).stdout
}
