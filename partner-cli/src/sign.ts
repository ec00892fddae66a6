import { type Command, Option } from 'commander'
import { sign } from '../../sdk/src/index.ts'
import {
  NotSignable,
  signedRequest,
  signedRequestText,
  type ToSign,
} from '../../src/terminal/signed-request.ts'
import { valueOption } from './arguments.ts'
import { type CommandLine, serviceCommand } from './command-line.ts'
import { NoAnswer } from './no-answer.ts'
import { readInput } from './read-input.ts'
import { type ConnectionOptions, checkedSettings } from './settings.ts'

type SignOptions = ConnectionOptions & ToSign & { timestamp?: string; json?: boolean }

/** Offline: nothing is sent. */
export function signCommand(program: Command, line: CommandLine): void {
  const { args, stdin, stdout } = line
  serviceCommand(program, line, {
    name: 'sign',
    usage: '(--data <json> | --body <file> | --tenant <tenant>) [options]',
    description:
      'print the three headers and a curl command for an award or a history request; nothing is sent',
    options: [
      valueOption(args, '--data <json>', "an award's body"),
      valueOption(
        args,
        '--body <file>',
        "a file with an award's body, signed byte for byte; - reads standard input",
      ),
      valueOption(args, '--tenant <tenant>', 'sign a history request for this tenant'),
      valueOption(args, '--timestamp <ms>', 'sign for this time instead of now', timestampOf),
      new Option('--json', 'print one JSON document'),
    ],
  }).action(async (options: SignOptions) => {
    const { baseUrl, apiKey, signingSecret } = checkedSettings(line, options)
    const timestamp = options.timestamp ?? String(Date.now())
    try {
      const signed = await signedRequest(options, {
        url: baseUrl.replace(/\/+$/, ''),
        read: (file) => readInput(file, stdin),
        headersOf: async (payload) => ({
          'X-Api-Key': apiKey,
          'X-Timestamp': timestamp,
          'X-Signature': await sign({ signingSecret, timestamp, payload }),
        }),
      })
      stdout.write(`${options.json ? JSON.stringify(signed, null, 2) : signedRequestText(signed)}\n`)
      line.finish(0)
    } catch (error) {
      throw error instanceof NotSignable ? new NoAnswer(error.message) : error
    }
  })
}

function timestampOf(text: string, name: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new NoAnswer(`${name} must be in milliseconds since 1970`)
  return text
}
