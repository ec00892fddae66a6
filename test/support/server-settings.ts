import { eventually } from './eventually.ts'
import { runSql } from './run-sql.ts'

/** Of a whole PostgreSQL, in effect when this resolves; null: back to the default. */
export async function setServer(url: string, settings: Record<string, string | null>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await runSql(url, `ALTER SYSTEM ${value === null ? `RESET ${name}` : `SET ${name} = '${value}'`}`)
  }
  await runSql(url, 'SELECT pg_reload_conf()')
  // A new session each time: it starts with the settings that the server now has.
  const inForce = async ([name, value]: [string, string | null]) => {
    const [row] = await runSql(url, `SELECT setting, boot_val FROM pg_settings WHERE name = '${name}'`)
    return row.setting === (value ?? row.boot_val)
  }
  for (const setting of Object.entries(settings)) {
    await eventually(`${setting[0]} is in force`, () => inForce(setting))
  }
  // Commits wait for a standby only once the checkpointer has told them to. It reads its settings between two
  // checkpoints, and the first of these may have begun before they changed.
  if ('synchronous_standby_names' in settings) await runSql(url, 'CHECKPOINT; CHECKPOINT')
}
