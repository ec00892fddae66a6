import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { NoAnswer } from './no-answer.ts'
import type { Output } from './surroundings.ts'

/** Where a result goes. A file is whole or not there: it gets its name when the last line is written. */
type Sink = {
  write(text: string): Promise<void>
  done(): void
  /** Has no effect once the result is complete. */
  giveUp(): void
}

/** `input` is the file that is read meanwhile: the result must not replace it. */
export function openSink(path: string | undefined, stdout: Output, input: string | null = null): Sink {
  if (path !== undefined) return fileSink(path, input)
  return {
    async write(text) {
      // Waits for a slow reader: otherwise the whole result would pile up in memory.
      if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once('drain', () => resolve()))
    },
    done: () => {},
    giveUp: () => {},
  }
}

/** Opened at the start: an error now is better than one after an hour of reading. */
function fileSink(path: string, input: string | null): Sink {
  const isDevice = statSync(path, { throwIfNoEntry: false })?.isFile() === false
  const written = isDevice ? path : `${path}.part`
  if (!isDevice && input !== null && [path, written].some((file) => isSameFile(file, input))) {
    throw new NoAnswer(`--output ${path} would replace ${input}, which is read: name another file`)
  }
  let file: number | null
  try {
    // Left by a process that was killed. Its permissions may be wider.
    if (!isDevice) rmSync(written, { force: true })
    // The result has addresses and notes: only for the user who asked for it.
    file = openSync(written, isDevice ? 'w' : 'wx', 0o600)
  } catch (error) {
    throw new NoAnswer(`the output cannot be written: ${(error as Error).message}`)
  }
  const close = () => {
    process.off('exit', giveUp)
    if (file !== null) closeSync(file)
    file = null
  }
  const giveUp = () => {
    const isOpen = file !== null
    close()
    if (isOpen && !isDevice) rmSync(written, { force: true })
  }
  // A signal ends the process without notice to the writer.
  process.on('exit', giveUp)
  return {
    async write(text) {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(file!, bytes, at)
    },
    done() {
      close()
      if (!isDevice) renameSync(written, path)
    },
    giveUp,
  }
}

/** Also by another name, or through a link. */
function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino
}
