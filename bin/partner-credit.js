#!/usr/bin/env node
// The launcher, in plain JavaScript that any Node can run. It runs the command line on this Node if that is new enough,
// and otherwise on the one that npm install put into node_modules.
import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

// By default SIGUSR1 opens Node's debugger, which gives access to everything in memory.
process.on('SIGUSR1', () => {})

const main = new URL('../src/cli/main.ts', import.meta.url)
// The compile cache makes every start after the first twice as fast. If it cannot be written, Node goes on without it.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

// New enough is a Node with the newest function that we call (24.16, 26.1).
if (typeof crypto.randomUUIDv7 === 'function') {
  module.enableCompileCache(compiled)
  // For the threads and processes that are started.
  process.env.NODE_COMPILE_CACHE ??= compiled
  await import(main.href)
} else {
  runOn(pinnedNode())
}

function pinnedNode() {
  const name = `node-${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`)
  } catch {
    console.error(
      `partner-credit: this is Node ${process.versions.node}, and ${name} is not installed: run npm install, or use Node 26`,
    )
    process.exit(1)
  }
}

function runOn(node) {
  // Through this channel the child notices when this process is killed; see src/cli/main.ts.
  const child = spawn(node, ['--disable-sigusr1', fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
