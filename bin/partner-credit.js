#!/usr/bin/env node
// The launcher: plain JavaScript that any Node can read. It runs the command line on this Node where that is new
// enough, and otherwise on the one that npm install put into node_modules.
import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

// By default it would open Node's debugger, through which everything in memory can be read, to whoever may send a signal.
process.on('SIGUSR1', () => {})

const main = new URL('../src/cli/main.ts', import.meta.url)
// What was compiled once is kept: every start but the first is twice as fast. Where it cannot be kept, nothing is lost.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

// New enough is a Node that has the newest of its functions that we call (24.16, 26.1).
if (typeof crypto.randomUUIDv7 === 'function') {
  module.enableCompileCache(compiled)
  // For the threads and processes that it starts.
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
  // The channel lets the child notice when this process is killed outright; see src/cli/main.ts.
  const child = spawn(node, ['--disable-sigusr1', fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
