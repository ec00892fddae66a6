import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { readEnvironment } from '../config.ts'
import { type Bytes, textOf, toBase64 } from '../doctor/bytes.ts'
import { type Diagnosis, diagnose } from '../doctor/diagnose.ts'
import { readRequest } from '../doctor/read-request.ts'
import { askSecret } from './ask-secret.ts'
import { doctorReport } from './doctor-report.ts'
import { print } from './output.ts'

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
        print(documentOf(diagnosis), options, () => doctorReport(diagnosis))
        process.exitCode = diagnosis.isRight ? 0 : 1
      } catch (error) {
        // Exit code 1 means that the signature is wrong; a request that cannot be examined is a usage error.
        if (error instanceof NotExaminable) command.error(error.message)
        throw error
      }
    })
}

class NotExaminable extends Error {}

/** The secret is never an argument: everyone who can list processes can see arguments. */
export async function examine(
  file: string,
  { secretFile, bodyFile, answer }: DoctorOptions,
): Promise<Diagnosis> {
  if (file === '-' && process.stdin.isTTY)
    console.error('Paste the request, then press Ctrl-D on a new line:')
  // Only a file named by the user is opened: a pasted command may name any file, such as the master key.
  const reading = readRequest(read(file), () => (bodyFile === undefined ? null : read(bodyFile)))
  if (!reading.ok) throw new NotExaminable(reading.problem)
  const secret =
    secretFile === undefined
      ? readEnvironment().SIGNING_SECRET || (await askSecret('Signing secret: '))
      : new TextDecoder().decode(read(secretFile))
  if (!secret?.trim()) {
    throw new NotExaminable(
      'the signing secret is missing: set SIGNING_SECRET, or name a file with --secret-file',
    )
  }
  const { request } = reading
  return diagnose({
    request,
    secret,
    ...(answer === undefined ? {} : { answer: String(textOf(read(answer))) }),
  })
}

function read(file: string): Bytes {
  try {
    return Uint8Array.from(readFileSync(file === '-' ? 0 : file))
  } catch (error) {
    throw new NotExaminable((error as Error).message)
  }
}

function documentOf({ signingString, signed, ...diagnosis }: Diagnosis) {
  return { ...diagnosis, signingString: shown(signingString), signed: shown(signed) }
}

/** As text for reading, and as base64 for the exact bytes. */
function shown(bytes: Bytes | null) {
  return bytes === null ? null : { bytes: bytes.length, text: textOf(bytes), base64: toBase64(bytes) }
}
