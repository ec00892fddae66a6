import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import type { Lifetime } from './service.ts'

const chromiums = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
const chromes = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * A real browser: it is found, or installed if that is allowed. Null if there is none and it is not required. Files
 * that run in one process share one browser, until the last of them has ended.
 */
export async function startChromium(test: Lifetime): Promise<Browser | null> {
  users++
  started ??= launched()
  test.after(async () => {
    if (--users > 0) return
    const browser = await started
    started = null
    await browser?.close()
  })
  return started
}

let users = 0
let started: Promise<Browser | null> | null = null

async function launched(): Promise<Browser | null> {
  const executablePath = installed(chromiums) ?? afterInstall() ?? installed(chromes)
  if (executablePath === null) {
    if (process.env.CI !== undefined) throw new Error(missing)
    return null
  }
  return chromium.launch({ executablePath, args: flags })
}

export const missing = 'these tests need Chromium or Chrome: install the package chromium'

/** A name for this machine that is not localhost: browsers do not trust pages from it over http. */
export const insecureHost = 'partners.example'

/** Without most of these, Chromium connects to other hosts, for example to look for updates. */
const flags = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  // Otherwise each page that is opened starts a process, and one more in advance.
  '--process-per-site',
  '--renderer-process-limit=1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
]

function installed(paths: string[]): string | null {
  return paths.find((path) => existsSync(path)) ?? null
}

/** The Debian package, if we are root and there is apt-get. The list of packages may have to be fetched first. */
function afterInstall(): string | null {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null
  const aptGet = (...args: string[]) =>
    spawnSync('/usr/bin/apt-get', ['-qq', ...args], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0
  const install = () => aptGet('install', '-y', '--no-install-recommends', 'chromium')
  if (!install() && aptGet('update')) install()
  return installed(chromiums)
}
