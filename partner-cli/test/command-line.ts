import { Writable } from 'node:stream'
import { run } from '../src/run.ts'
import type { LiveService } from '../../sdk/test/live-service.ts'

type Result = { code: number; stdout: string; stderr: string }

/** The command in this process, with an environment of its own. */
export async function runCommand(
  args: string[],
  {
    environment = {},
    stdin = '',
    isTerminal = false,
    answer,
    secret,
  }: {
    environment?: Record<string, string>
    stdin?: string
    isTerminal?: boolean
    /** What the person at the terminal types, each time when asked; without it there is nobody. */
    answer?: string | (() => string)
    /** The same for a secret, which is not shown. */
    secret?: string
  } = {},
): Promise<Result> {
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written) =>
    Object.assign(
      new Writable({
        write(chunk, _, callback) {
          written[name] += chunk
          callback()
        },
      }),
      { isTTY: isTerminal },
    )
  async function* input() {
    yield Buffer.from(stdin)
  }
  const stderr = output('stderr')
  const ask = async (question: string) => {
    const typed = typeof answer === 'function' ? answer() : answer!
    stderr.write(`${question}${typed}\n`)
    return typed
  }
  const surroundings = {
    environment,
    stdin: input(),
    stdout: output('stdout'),
    stderr,
    ask: answer === undefined ? null : ask,
    askSecret: async () => secret ?? null,
  }
  const code = await run(args, surroundings)
  return { code, ...written }
}

export function environmentOf({ options }: Pick<LiveService, 'options'>): Record<string, string> {
  return {
    BASE_URL: options.baseUrl,
    API_KEY: options.apiKey,
    SIGNING_SECRET: options.signingSecret,
  }
}
