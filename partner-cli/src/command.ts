import type { OptionKinds } from './arguments.ts'
import type { Surroundings } from './surroundings.ts'

export type Command = {
  kinds: OptionKinds
  usage: string
  /** Resolves with the exit code: 0, or 1 where the answer is no. */
  run(args: string[], surroundings: Surroundings): Promise<0 | 1>
}
