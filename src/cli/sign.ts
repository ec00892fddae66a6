import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { readEnvironment } from '../config.ts'
import { timestampArgument } from './arguments.ts'
import { awardCurl, historyCurl, signedHeaders } from './curl.ts'
import { print } from './output.ts'

type SignOptions = {
  body?: string
  data?: string
  tenant?: string
  apiKey?: string
  signingSecret?: string
  timestamp?: string
  url: string
  json?: boolean
}

/** Offline: no database is opened and nothing is sent. */
export function signCommand(program: Command): void {
  program
    .command('sign')
    .description('print the three headers and a curl command for an award or a history request')
    .option('--data <json>', "an award's body")
    .option('--body <file>', "a file with an award's body, signed byte for byte; - reads standard input")
    .option('--tenant <tenant>', 'sign a history request for this tenant')
    .option('--api-key <key>', 'the API key (API_KEY)')
    .option('--signing-secret <secret>', 'the signing secret (SIGNING_SECRET)')
    .option('--timestamp <ms>', 'sign for this time instead of now', timestampArgument)
    .option('--url <url>', 'base URL of the service', 'http://127.0.0.1:8080')
    .option('--json', 'print one JSON document')
    .action((options: SignOptions, command: Command) => {
      const environment = readEnvironment()
      const apiKey = options.apiKey ?? environment.API_KEY
      const signingSecret = options.signingSecret ?? environment.SIGNING_SECRET
      if (!apiKey || !signingSecret) {
        command.error(
          '--api-key and --signing-secret are required, or API_KEY and SIGNING_SECRET in the environment',
        )
      }
      const { data, body, tenant } = options
      if ([data, body, tenant].filter((given) => given !== undefined).length !== 1) {
        command.error('specify exactly one of --data, --body and --tenant')
      }
      const timestamp = options.timestamp ?? String(systemClock.now())
      const bytes = data ?? (body === undefined ? undefined : readFileSync(body === '-' ? 0 : body))
      if (body === '-' && !isUtf8(bytes as Uint8Array))
        command.error('the body is not UTF-8, so it cannot be part of a curl command: use --body with a file')
      const headers = signedHeaders({ apiKey, signingSecret }, timestamp, bytes ?? tenant!)
      const curl =
        bytes === undefined
          ? historyCurl(options.url, headers, tenant!)
          : awardCurl(
              options.url,
              headers,
              body === undefined || body === '-' ? bytes.toString() : `@${body}`,
            )
      print({ headers, curl }, options, () => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
        return [...lines, '', curl].join('\n')
      })
    })
}
