import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'

/** A batch on its way to the writer's thread and back, as JSON: cloning the objects takes four times as long. */
type Batch = { commands: AwardCommand[]; now: number }

export function batchText({ commands, now }: Batch): string {
  return JSON.stringify({
    commands: commands.map((c) => ({ ...c, salt: Buffer.from(c.salt).toString('hex') })),
    now,
  })
}

export function readBatch(text: string): Batch {
  const { commands, now } = JSON.parse(text)
  for (const command of commands) command.salt = Buffer.from(command.salt, 'hex')
  return { commands, now }
}

export function outcomesText(outcomes: Outcome[]): string {
  return JSON.stringify(outcomes)
}

export function readOutcomes(text: string): Outcome[] {
  return JSON.parse(text)
}
