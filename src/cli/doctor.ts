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
    .description('say why a signature does not match: which classic mistake leads to the one that was sent')
    .argument('[request]', 'a file with a curl command or raw HTTP; without it, standard input', '-')
    .option(
      '--secret-file <file>',
      'a file with the signing secret (else SIGNING_SECRET, else it is asked for)',
    )
    .option('--body-file <file>', 'the file that the curl command sends with @')
    .option('--answer <file>', "a file with the body of the service's 401")
    .option('--json', 'print one JSON document')
    .action(async (file: string, options: DoctorOptions, command: Command) => {
      try {
        const diagnosis = await examine(file, options)
        print(documentOf(diagnosis), options, () => doctorReport(diagnosis))
        process.exitCode = diagnosis.isRight ? 0 : 1
      } catch (error) {
        // 1 says that the signature is wrong; what could not be examined is another thing.
        if (error instanceof NotExaminable) command.error(error.message)
        throw error
      }
    })
}

class NotExaminable extends Error {}

/** The secret is never an argument: those are seen by everyone who can list processes. */
export async function examine(
  file: string,
  { secretFile, bodyFile, answer }: DoctorOptions,
): Promise<Diagnosis> {
  if (file === '-' && process.stdin.isTTY)
    console.error('Paste the request, then press Ctrl-D on a new line:')
  // Only a file that was asked for is opened: what is pasted may name any, such as the master key.
  const reading = readRequest(read(file), () => (bodyFile === undefined ? null : read(bodyFile)))
  if (!reading.ok) throw new NotExaminable(reading.problem)
  const secret =
    secretFile === undefined
      ? readEnvironment().SIGNING_SECRET || (await askSecret('Signing secret: '))
      : new TextDecoder().decode(read(secretFile))
  if (!secret?.trim()) {
    throw new NotExaminable(
      'the signing secret is needed: in SIGNING_SECRET, or in a file named by --secret-file',
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

/** Text is for reading; base64 has every byte. */
function shown(bytes: Bytes | null) {
  return bytes === null ? null : { bytes: bytes.length, text: textOf(bytes), base64: toBase64(bytes) }
}
