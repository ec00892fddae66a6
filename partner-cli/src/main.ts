#!/usr/bin/env node
import { createInterface } from 'node:readline/promises'
import { askSecret } from '../../src/terminal/ask-secret.ts'
import { run } from './run.ts'

const { stdin, stdout, stderr, env } = process

// By default SIGUSR1 opens Node's debugger, which shows the secret to every user of the machine.
process.on('SIGUSR1', () => {})
// process.exit lets temporary files be removed; the codes are those that a shell gives for these signals.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
process.once('SIGHUP', () => process.exit(129))
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe: "awards | head". Not 0, which would mean that the lists do not differ.
    if (error.code === 'EPIPE') process.exit(141)
    throw error
  })
}

const ask = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: stdin, output: stderr })
  terminal.once('SIGINT', () => process.exit(130))
  // Ctrl-D means no.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const answer = await Promise.race([terminal.question(question), closed])
  terminal.close()
  return answer
}

process.exitCode = await run(process.argv.slice(2), {
  environment: env,
  stdin,
  stdout,
  stderr,
  ask: stdin.isTTY && stderr.isTTY ? ask : null,
  askSecret,
})
