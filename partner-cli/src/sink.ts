import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { NoAnswer } from './no-answer.ts'
import type { Output } from './surroundings.ts'

/** Where a result goes. A file is whole or not there: it gets its name when the last line is written. */
type Sink = {
  write(text: string): Promise<void>
  done(): void
  /** Has no effect once the result is complete. */
  giveUp(): void
}

/** 0 is standard input. */
type Input = string | 0 | undefined

/** `inputs` are the files that are read: the result must not replace them. */
export function openSink(path: string | undefined, stdout: Output, inputs: Input[]): Sink {
  if (path === undefined) return streamSink(stdout)
  const isDevice = statSync(path, { throwIfNoEntry: false })?.isFile() === false
  const target = isDevice ? path : targetOf(path)
  const input = isDevice ? undefined : inputs.find((input) => isSameFile(target, input))
  if (input !== undefined) {
    const name = input === 0 ? 'standard input' : input
    throw new NoAnswer(`--output ${path} would replace ${name}, which is read: name another file`)
  }
  // By a name such as /dev/stdout. If it is a file, the shell has opened it, and may write to it afterwards.
  if (isSameFile(target, 1)) return streamSink(stdout)
  // A name of its own: r.csv.part may be a file of the user's, or the draft of another command.
  const written = isDevice ? path : `${target}.${randomUUID().slice(0, 8)}.part`
  return fileSink({ target, written })
}

function streamSink(stdout: Output): Sink {
  return {
    async write(text) {
      // Waits for a slow reader: otherwise the whole result would pile up in memory.
      if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once('drain', () => resolve()))
    },
    done: () => {},
    giveUp: () => {},
  }
}

/** A symbolic link stays as it is: the file that it leads to is replaced. */
function targetOf(path: string): string {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path)
  } catch (error) {
    throw cannotBeWritten(error)
  }
}

/** Opened at the start: an error now is better than one after an hour of reading. */
function fileSink({ target, written }: { target: string; written: string }): Sink {
  const isDevice = written === target
  let file: number | null
  try {
    // Exclusively, as no file that is there already is ours. The result has addresses and notes: only for the user who asked for it.
    file = openSync(written, isDevice ? 'w' : 'wx', 0o600)
  } catch (error) {
    throw cannotBeWritten(error)
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
      if (!isDevice) renameSync(written, target)
    },
    giveUp,
  }
}

function cannotBeWritten(error: unknown): NoAnswer {
  return new NoAnswer(`the output cannot be written: ${(error as Error).message}`)
}

/** Also by another name, or through a link. */
function isSameFile(path: string, other: string | number | undefined): boolean {
  if (other === undefined) return false
  const one = statSync(path, { bigint: true, throwIfNoEntry: false })
  const two =
    typeof other === 'number'
      ? fstatSync(other, { bigint: true })
      : statSync(other, { bigint: true, throwIfNoEntry: false })
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino
}
