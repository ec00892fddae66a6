import { run } from './run.ts'

// Started by the launcher (on an older Node) or as a worker: if the parent is killed, it can no longer forward signals,
// so stop as well.
if (process.channel !== undefined && process.channel !== null) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

await run(process.argv.slice(2))
