import { type FileHandle, open } from 'node:fs/promises'
import type { Command } from 'commander'
import { exportKey } from '../access/export-key.ts'
import { Damaged } from '../ledger/errors.ts'
import { existingMasterKey } from '../open-master-key.ts'
import { type DatabaseLocation, openStore } from '../stores/open.ts'
import type { ExportKey } from '../stores/transfer/export-format.ts'
import { type Imported, importLedger } from '../stores/transfer/import-ledger.ts'
import { type OpenedExport, openExport } from '../stores/transfer/read-export.ts'
import { countsText } from './export.ts'
import { configOf, type DatabaseOptions, warn, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'
import { progressBar } from './progress.ts'
import { verificationText } from './verify.ts'

export function importCommand(program: Command): void {
  withDatabaseOptions(program.command('import <file>'))
    .description('load an export (a file, or - for standard input) into an empty database, and verify it')
    .option('--accept-format-1', 'also load a file in format 1, which does not prove who wrote it')
    .action(async (path: string, options: DatabaseOptions & { acceptFormat1?: boolean }) => {
      const config = configOf(options)
      // The file first, so that a typing error in its name creates no database.
      await using input = path === '-' ? null : await open(path)
      const key = exportKey(existingMasterKey(config))
      const { acceptFormat1 = false } = options
      const imported = await orNothing(async () => {
        // Its first line, too, so that a wrong master key creates none.
        const file = await openExport(input === null ? process.stdin : withProgress(input), {
          key,
          acceptFormat1,
        })
        await using _ = file.lines
        if (file.format.seal !== 'mac') console.error(`partner-credit: ${format1Note}`)
        return await importWithProgress(config.database, file, key)
      })
      print(imported, options, () => importedText(imported))
    })
}

const format1Note =
  'NOTE: a file in format 1 does not prove who wrote it. Anyone with access to it could have added awards, keys and caps, and import cannot detect that.'

async function orNothing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    throw new Error(`nothing was imported: ${error.message}`, { cause: error })
  }
}

async function importWithProgress(
  database: DatabaseLocation,
  file: OpenedExport,
  key: ExportKey,
): Promise<Imported> {
  const store = await openStore(database, { warn })
  const verifying = progressBar('verifying')
  try {
    return await importLedger(store, file, { key, onVerified: verifying.show })
  } finally {
    verifying.end()
    await store.close()
  }
}

async function* withProgress(file: FileHandle): AsyncGenerator<Uint8Array> {
  const bar = progressBar('importing')
  const { size } = await file.stat()
  let bytesRead = 0
  try {
    for await (const chunk of file.createReadStream()) {
      bytesRead += chunk.length
      bar.show(Math.min(1, bytesRead / size))
      yield chunk
    }
  } finally {
    bar.end()
  }
}

function importedText({ counts, verification }: Imported): string {
  const operators =
    counts.operator === 0 ? '' : '\nNo operator has a password yet: set one with operator reset NAME.'
  return `imported ${countsText(counts)}\n${verificationText(verification)}${operators}\nServe it with the master key that was used for this import.`
}
