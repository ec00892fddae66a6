import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Too many passwords are being checked. */
export class TooManyPasswords extends Error {}

export type Passwords = {
  /** In the PHC form: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. */
  hash(password: string): Promise<string>
  /** Takes as long where there is no hash: whether an account exists is not disclosed. */
  matches(password: string, stored: string | null): Promise<boolean>
}

type Cost = { memory: number; passes: number; parallelism: number }

/** OWASP's recommendation: 19 MiB, two passes, one lane. */
const costNow: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** One at a time, because the threads that compute it also read files for the rest of the process. */
const waitingMax = 16

const computeTag = promisify(argon2)

/** argon2id, computed by Node's thread pool and never on the event loop. */
export function createPasswords(cost = costNow): Passwords {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= waitingMax) throw new TooManyPasswords('too many sign-ins at once')
    waiting++
    const turn = last.then(work)
    last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      waiting--
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      const tag = await inTurn(() => tagOf(password, salt, cost))
      const { memory, passes, parallelism } = cost
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
    },
    async matches(password, stored) {
      const { salt, tag, ...hashed } = parsed(stored) ?? { ...decoy, cost }
      const computed = await inTurn(() => tagOf(password, salt, hashed.cost))
      return stored !== null && computed.length === tag.length && timingSafeEqual(computed, tag)
    },
  }
}

function tagOf(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  // The same characters can be typed in more than one form: NFC is one of them.
  const message = password.normalize('NFC')
  return computeTag('argon2id', { message, nonce, tagLength: tagBytes, ...cost })
}

type Parsed = { salt: Buffer; tag: Buffer; cost: Cost }

const decoy = { salt: Buffer.alloc(saltBytes), tag: Buffer.alloc(tagBytes) }
const phcForm =
  /^\$argon2id\$v=19\$m=([1-9][0-9]{0,6}),t=([1-9][0-9]?),p=([1-9][0-9]?)\$([\w+/-]{22})\$([\w+/-]{43})$/

/** Null: not written by us. Nobody can sign in by it. */
function parsed(stored: string | null): Parsed | null {
  const [, memory, passes, parallelism, salt, tag] = phcForm.exec(stored ?? '') ?? []
  if (tag === undefined) return null
  return {
    salt: Buffer.from(salt!, 'base64'),
    tag: Buffer.from(tag, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  }
}

function text(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const lengthMin = 12
const lengthMax = 200

/** What is wrong with a new password; null if nothing is. Length is what counts: there are no rules about characters. */
export function passwordProblem(password: string, operatorId: string): string | null {
  const length = [...password].length
  if (length < lengthMin || length > lengthMax)
    return `the password must have ${lengthMin} to ${lengthMax} characters`
  if (password.toLowerCase().includes(operatorId.toLowerCase()) && length < operatorId.length + lengthMin)
    return 'the password must not be the name of the account with a few characters more'
  if (new Set(password).size < 5) return 'the password must have at least 5 different characters'
  return null
}

/** 26 characters of base32: 130 bits, easy to read out. */
export function newPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return [...randomBytes(26)].map((byte) => letters[byte % letters.length]).join('')
}
