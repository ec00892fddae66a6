import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { readEnvironment } from '../config.ts'
import type { Bytes } from '../doctor/bytes.ts'
import type { Diagnosis } from '../doctor/diagnose.ts'
import { askSecret } from '../terminal/ask-secret.ts'
import { doctorReport } from '../terminal/doctor-report.ts'
import { diagnosisDocument, examineRequest, NotExaminable } from '../terminal/examine.ts'
import { bold, print } from './output.ts'

type DoctorOptions = { secretFile?: string; bodyFile?: string; answer?: string; json?: boolean }

/** Offline, like sign: no database is opened and nothing is sent. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('explain why a signature does not match: find the mistake that produces it')
    .argument('[request]', 'a file with a curl command or raw HTTP; without it, standard input', '-')
    .option('--secret-file <file>', 'a file with the signing secret (default: SIGNING_SECRET, or a prompt)')
    .option('--body-file <file>', 'the file that the curl command sends with @')
    .option('--answer <file>', "a file with the body of the service's 401 response")
    .option('--json', 'print one JSON document')
    .action(async (file: string, options: DoctorOptions, command: Command) => {
      try {
        const diagnosis = await examine(file, options)
        print(diagnosisDocument(diagnosis), options, () => doctorReport(diagnosis, bold))
        process.exitCode = diagnosis.isRight ? 0 : 1
      } catch (error) {
        // Exit code 1 means that the signature is wrong; a request that cannot be examined is a usage error.
        if (error instanceof NotExaminable) command.error(error.message)
        throw error
      }
    })
}

/** The secret is never an argument: everyone who can list processes can see arguments. */
export async function examine(
  file: string,
  { secretFile, bodyFile, answer }: DoctorOptions,
): Promise<Diagnosis> {
  if (file === '-' && process.stdin.isTTY)
    console.error('Paste the request, then press Ctrl-D on a new line:')
  return examineRequest({
    request: await read(file),
    // Only a file named by the user is opened: a pasted command may name any file, such as the master key.
    body: bodyFile === undefined ? null : await read(bodyFile),
    secret: async () =>
      secretFile === undefined
        ? readEnvironment().SIGNING_SECRET || askSecret('Signing secret: ')
        : new TextDecoder().decode(await read(secretFile)),
    secretHint: 'set SIGNING_SECRET, or name a file with --secret-file',
    answer: answer === undefined ? null : await read(answer),
    now: systemClock.now(),
  })
}

/** A pipe may have nothing to read yet: a synchronous read of standard input would fail. */
async function read(file: string): Promise<Bytes> {
  try {
    return Uint8Array.from(file === '-' ? await buffer(process.stdin) : readFileSync(file))
  } catch (error) {
    throw new NotExaminable((error as Error).message)
  }
}
