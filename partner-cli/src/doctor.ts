import { type Command, Option } from 'commander'
import { doctorReport } from '../../src/terminal/doctor-report.ts'
import { diagnosisDocument, examineRequest, NotExaminable } from '../../src/terminal/examine.ts'
import { jsonText } from '../../src/terminal/safe-text.ts'
import { valueOption } from './arguments.ts'
import type { CommandLine } from './command-line.ts'
import { NoAnswer } from './no-answer.ts'
import { readInput } from './read-input.ts'
import { givenSettings, settingsOption } from './settings.ts'

type DoctorOptions = { settings?: string; bodyFile?: string; answer?: string; json?: boolean }

/** Offline: nothing is sent. The secret comes from the settings or is asked for, never from the arguments. */
export function doctorCommand(program: Command, line: CommandLine): void {
  const { args, stdin, stdout, stderr } = line
  program
    .command('doctor')
    .description('explain why a signature does not match: find the mistake that produces it; nothing is sent')
    .argument('[request]', 'a file with a curl command or raw HTTP; without it, standard input', '-')
    .addOption(valueOption(args, '--body-file <file>', 'the file that the curl command sends with @'))
    .addOption(valueOption(args, '--answer <file>', "a file with the body of the service's 401 response"))
    .addOption(new Option('--json', 'print one JSON document'))
    .addOption(settingsOption(args))
    .action(async (file: string, options: DoctorOptions) => {
      if (file === '-' && line.ask !== null) {
        stderr.write('Paste the request, then press Ctrl-D on a new line:\n')
      }
      const optional = (path: string | undefined) => (path === undefined ? null : readInput(path, stdin))
      try {
        const diagnosis = await examineRequest({
          request: await readInput(file, stdin),
          body: await optional(options.bodyFile),
          secret: () => givenSettings(line, options).signingSecret || line.askSecret('Signing secret: '),
          secretHint: 'set SIGNING_SECRET, or write it into a file for --settings',
          answer: await optional(options.answer),
          now: Date.now(),
        })
        stdout.write(`${options.json ? jsonText(diagnosisDocument(diagnosis)) : doctorReport(diagnosis)}\n`)
        line.finish(diagnosis.isRight ? 0 : 1)
      } catch (error) {
        throw error instanceof NotExaminable ? new NoAnswer(error.message) : error
      }
    })
}
