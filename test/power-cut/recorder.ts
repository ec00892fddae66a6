import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** For a message on a machine without it. */
export const neededToRecord = 'Linux with a C compiler (Debian: gcc, libc6-dev)'

export function canRecord(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0
}

/** Builds recorder.c in `folder`; returns the path of the library. */
export function buildRecorder(folder: string): string {
  return buildPreload(new URL('./recorder.c', import.meta.url), folder)
}

/** Builds a library for LD_PRELOAD. */
export function buildPreload(source: URL, folder: string): string {
  const library = join(folder, 'preload.so')
  const { status, error, stderr } = spawnSync(
    'cc',
    [
      '-O1',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-shared',
      '-fPIC',
      '-pthread',
      '-o',
      library,
      fileURLToPath(source),
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`this needs ${neededToRecord}: ${error?.message ?? stderr}`)
  return library
}
