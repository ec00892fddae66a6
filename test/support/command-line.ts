import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type CommandResult = { code: number | null; stdout: string; stderr: string }

const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))
// Shared by all processes of a test file: it halves the time they take to start.
const compileCache = mkdtempSync(join(tmpdir(), 'partner-credit-compiled-'))
process.once('exit', () => rmSync(compileCache, { recursive: true, force: true }))

/** Runs the real command line in a process of its own, in `cwd`, with nothing of our environment but the path. */
export function runCommand(
  args: string[],
  {
    cwd,
    environment = {},
    input = '',
    node = process.execPath,
    program = launcher,
  }: { cwd: string; environment?: Record<string, string>; input?: string; node?: string; program?: string },
): Promise<CommandResult> {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...environment }
  return new Promise((resolve, reject) => {
    const child = spawn(node, [program, ...args], { cwd, env })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.on('error', () => {}) // it may have ended without reading
    child.stdin.end(input)
  })
}
