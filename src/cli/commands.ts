import type { Command } from 'commander'

type AddCommand = (program: Command) => void

/** In the order of the help page. Each is loaded when it is called: loading all would double the time of a start. */
const commands: Record<string, () => Promise<AddCommand>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  demo: async () => (await import('./demo/command.ts')).demoCommand,
  partner: async () => (await import('./partner.ts')).partnerCommands,
  tenant: async () => (await import('./tenant.ts')).tenantCommands,
  defaults: async () => (await import('./defaults.ts')).defaultsCommands,
  key: async () => (await import('./key.ts')).keyCommands,
  operator: async () => (await import('./operator.ts')).operatorCommands,
  token: async () => (await import('./token.ts')).tokenCommands,
  find: async () => (await import('./find.ts')).findCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  usage: async () => (await import('./usage.ts')).usageCommand,
  user: async () => (await import('./user.ts')).userCommand,
  refusals: async () => (await import('./refusals.ts')).refusalsCommand,
  alerts: async () => (await import('./alerts.ts')).alertsCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  caps: async () => (await import('./caps.ts')).capsCommands,
  audit: async () => (await import('./audit.ts')).auditCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  distribute: async () => (await import('./distribute.ts')).distributeCommand,
  where: async () => (await import('./where.ts')).whereCommand,
  sign: async () => (await import('./sign.ts')).signCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
}

/** Adds the command of this name; without one of this name all, for the help page and "Did you mean …?". */
export async function addCommands(program: Command, name: string | undefined): Promise<void> {
  const isKnown = name !== undefined && Object.hasOwn(commands, name)
  for (const load of isKnown ? [commands[name]!] : Object.values(commands)) (await load())(program)
}
