import { newPassword } from '../operator/access/passwords.ts'
import { askSecret } from '../terminal/ask-secret.ts'
import { NoReason } from './reason.ts'

export type PasswordOptions = { passwordStdin?: boolean; password: boolean; json?: boolean }

/** `isGenerated`: it has to be shown, once. Null: the account has none. */
type ChosenPassword = { password: string | null; isGenerated: boolean }

/** From standard input, or typed twice at a terminal, or generated where nobody could type it. */
export async function choosePassword(options: PasswordOptions): Promise<ChosenPassword> {
  if (!options.password) return { password: null, isGenerated: false }
  if (options.passwordStdin) return { password: await firstLineOfInput(), isGenerated: false }
  const isAttended = process.stdin.isTTY && process.stderr.isTTY && !options.json
  if (!isAttended) return { password: newPassword(), isGenerated: true }
  const typed = await askSecret('New password (Enter generates one): ')
  if (typed === null) throw new NoReason('canceled: nothing was changed')
  if (typed === '') return { password: newPassword(), isGenerated: true }
  if ((await askSecret('The same again: ')) !== typed)
    throw new NoReason('the two passwords differ: nothing was changed')
  return { password: typed, isGenerated: false }
}

const inputBytesMax = 10_000

async function firstLineOfInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > inputBytesMax) break
  }
  return text.split(/\r?\n/, 1)[0]!
}
