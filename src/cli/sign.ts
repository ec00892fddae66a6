import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { readEnvironment } from '../config.ts'
import { NotSignable, signedRequest, signedRequestText, type ToSign } from '../terminal/signed-request.ts'
import { timestampArgument } from './arguments.ts'
import { print } from './output.ts'
import { signedHeaders } from './signed-headers.ts'

type SignOptions = ToSign & {
  apiKey?: string
  signingSecret?: string
  timestamp?: string
  url?: string
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
    .option('--url <url>', 'base URL of the service (BASE_URL, http://127.0.0.1:8080)')
    .option('--json', 'print one JSON document')
    .action(async (options: SignOptions, command: Command) => {
      const environment = readEnvironment()
      const apiKey = options.apiKey ?? environment.API_KEY
      const signingSecret = options.signingSecret ?? environment.SIGNING_SECRET
      if (!apiKey || !signingSecret) {
        command.error(
          '--api-key and --signing-secret are required, or API_KEY and SIGNING_SECRET in the environment',
        )
      }
      const timestamp = options.timestamp ?? String(systemClock.now())
      try {
        const signed = await signedRequest(options, {
          url: options.url ?? (environment.BASE_URL || 'http://127.0.0.1:8080'),
          read: async (file) => (file === '-' ? buffer(process.stdin) : readFileSync(file)),
          headersOf: (payload) => signedHeaders({ apiKey, signingSecret }, timestamp, payload),
        })
        print(signed, options, () => signedRequestText(signed))
      } catch (error) {
        if (error instanceof NotSignable) command.error(error.message)
        throw error
      }
    })
}
