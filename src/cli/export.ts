import { type FileHandle, open, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { exportKey } from '../access/export-key.ts'
import { existingMasterKey } from '../open-master-key.ts'
import { openReading } from '../stores/open.ts'
import type { StoreSnapshot } from '../stores/store.ts'
import { exportLedger } from '../stores/transfer/export-ledger.ts'
import { type RowCounts, type ExportKey, noRows } from '../stores/transfer/export-format.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { lowerPriority } from './lower-priority.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'
import { progressBar } from './progress.ts'

export function exportCommand(program: Command): void {
  withDatabaseOptions(program.command('export'))
    .description('write the whole ledger and all settings, from one snapshot, as JSON lines for import')
    .option('--out <file>', 'a new file, readable by you only (default: standard output)')
    .action(async (options: DatabaseOptions & { out?: string }, command: Command) => {
      const { out, json } = options
      if (json && out === undefined) command.error('--json needs --out: standard output is the export itself')
      const config = configOf(options)
      lowerPriority()
      const snapshot = await openReading(config.database)
      try {
        const key = exportKey(existingMasterKey(config))
        const counts = await (out === undefined ? writeOut(snapshot, key) : writeFile(snapshot, key, out))
        if (out !== undefined)
          print(counts, options, () => `exported ${countsText(counts)} to ${terminalSafe(out)}`)
      } finally {
        await snapshot.close()
      }
    })
}

export function countsText({ entry, partner, tenant }: RowCounts): string {
  return `${count(entry, 'entry', 'entries')}, ${count(partner, 'partner')} and ${count(tenant, 'tenant')}`
}

async function writeOut(snapshot: StoreSnapshot, key: ExportKey): Promise<RowCounts> {
  return write(snapshot, key, process.stdout, { end: false })
}

/** Never overwrites a file. A file that could not be completed is removed. */
async function writeFile(snapshot: StoreSnapshot, key: ExportKey, path: string): Promise<RowCounts> {
  const file = await openNew(path)
  try {
    return await write(snapshot, key, file.createWriteStream({ flush: true }), { end: true })
  } catch (error) {
    await rm(path)
    throw error
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`${path} exists already, and export never overwrites a file: name a new one`)
  }
}

async function write(
  snapshot: StoreSnapshot,
  key: ExportKey,
  output: NodeJS.WritableStream,
  { end }: { end: boolean },
): Promise<RowCounts> {
  const bar = progressBar('exporting')
  let written: RowCounts = noRows
  const onEnd = (counts: RowCounts) => {
    written = counts
  }
  try {
    await pipeline(exportLedger(snapshot, { key, onProgress: bar.show, onEnd }), output, { end })
    return written
  } finally {
    bar.end()
  }
}
