import { type FileHandle, open } from 'node:fs/promises'
import type { Command } from 'commander'
import { Damaged } from '../ledger/faults.ts'
import { openStore } from '../stores/open.ts'
import type { Store } from '../stores/store.ts'
import { type Imported, importLedger } from '../stores/transfer/import-ledger.ts'
import { countsText } from './export.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'
import { progressBar } from './progress.ts'
import { verificationText } from './verify.ts'

export function importCommand(program: Command): void {
  withDatabaseOptions(program.command('import <file>'))
    .description('load an export (a file, or - for standard input) into an empty database, and prove it')
    .action(async (path: string, options: DatabaseOptions) => {
      const { database } = configOf(options)
      // First the file, so that a slip in its name makes no database.
      await using input = path === '-' ? null : await open(path)
      const store = await openStore(database)
      try {
        const imported = await importWithProgress(store, input)
        print(imported, options, () => importedText(imported))
      } finally {
        await store.close()
      }
    })
}

async function importWithProgress(store: Store, file: FileHandle | null): Promise<Imported> {
  const verifying = progressBar('verifying')
  try {
    return await importLedger(store, file === null ? process.stdin : withProgress(file), verifying.show)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    throw new Error(`nothing was imported: ${error.message}`, { cause: error })
  } finally {
    verifying.end()
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
  return `imported ${countsText(counts)}\n${verificationText(verification)}\nServe it with the master key that it had before.`
}
