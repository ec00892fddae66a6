#!/usr/bin/env node
import { run } from './run.ts'

const { stdin, stdout, stderr, env } = process

// process.exit lets temporary files be removed; the codes are those that a shell gives for these signals.
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
process.once('SIGHUP', () => process.exit(129))
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read it has seen enough: "awards | head". Not 0: that would say that the lists do not differ.
    if (error.code === 'EPIPE') process.exit(141)
    throw error
  })
}

process.exitCode = await run(process.argv.slice(2), { environment: env, stdin, stdout, stderr })
