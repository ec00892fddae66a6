import type { Writable } from 'node:stream'

/** What a command uses besides the service and its files. */
export type Surroundings = {
  environment: Record<string, string | undefined>
  stdin: AsyncIterable<Uint8Array>
  stdout: Output
  stderr: Output
  /** What the person at the terminal types; null if there is no terminal. */
  ask: ((question: string) => Promise<string>) | null
  /** The same, without showing what is typed. */
  askSecret(question: string): Promise<string | null>
}

/** A stream; where it is a terminal, it is for a person to look at. */
export type Output = Pick<Writable, 'write' | 'once'> & { isTTY?: boolean }
