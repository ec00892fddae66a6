import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { mutateBytes } from './byte-mutation.ts'
import { chance } from './fuzz-request.ts'
import {
  awkwardEmail,
  awkwardMeta,
  awkwardNumber,
  awkwardString,
  privateMark,
  soundObject,
} from './json-values.ts'

/** The members of an award as they will be written: key and value are JSON texts. */
type Members = [key: string, value: string][]

/** An award that follows every rule, in one of the many forms that JSON allows. */
export function soundAward(random: Random, orderId: string): Buffer {
  return Buffer.from(
    written(random, soundMembers(random, orderId), oneOf(random, ['', '', ' ', '\t', '\r\n'])),
  )
}

/** An award with one to three mutations of its values, its keys or its bytes. */
export function mutatedAward(random: Random, orderId: string): Buffer {
  const members = soundMembers(random, orderId)
  for (let count = oneOf(random, [1, 1, 1, 2, 3]); count > 0; count--)
    oneOf(random, memberMutations)(members, random)
  const text = written(
    random,
    members,
    chance(random, 0.2) ? oneOf(random, ['\f', '\u00a0', '/**/', ' ']) : '',
  )
  const document = chance(random, 0.15) ? oneOf(random, documentMutations)(text) : text
  const bytes = typeof document === 'string' ? Buffer.from(document) : document
  return chance(random, 0.1) ? mutateBytes(bytes, random) : bytes
}

function soundMembers(random: Random, orderId: string): Members {
  const thousands = 1 + integerBelow(random, 9_999)
  const amounts = [
    `${thousands}000`,
    `${thousands}000.0`,
    `${thousands}e3`,
    `${thousands}E+3`,
    `${thousands}999`,
  ]
  const members: Members = [
    ['"tenantId"', '"t1"'],
    ['"orderId"', JSON.stringify(orderId + oneOf(random, ['', ' ', 'é', '😀', '\\', "'", '"']))],
    ['"userEmail"', JSON.stringify(`${oneOf(random, ['u', 'U'])}.${privateMark}.${orderId}@example.com`)],
    ['"amount"', oneOf(random, amounts)],
  ]
  if (chance(random, 0.5))
    members.push(['"note"', oneOf(random, ['null', `"a ${privateMark} note"`, '"\\u00e9\\n"'])])
  if (chance(random, 0.5)) members.push(['"meta"', chance(random, 0.1) ? 'null' : soundObject(random, 5)])
  if (chance(random, 0.3)) members.reverse()
  return members
}

function written(random: Random, members: Members, space: string): string {
  const key = (text: string) => (chance(random, 0.05) ? escapeFirst(text) : text)
  const parts = members.map(([name, value]) => `${space}${key(name)}${space}:${space}${value}`)
  return `${space}{${parts.join(`${space},`)}${space}}${space}`
}

function escapeFirst(text: string): string {
  const code = text.charCodeAt(1)
  return code > 0x7f || text[1] === '\\' || text[1] === '"'
    ? text
    : `"\\u${code.toString(16).padStart(4, '0')}${text.slice(2)}`
}

const otherTenants = [
  '"t2"',
  '"t3"',
  '"T1"',
  '"t1 "',
  '""',
  '"__proto__"',
  '"t1\\u0000"',
  `"${'t'.repeat(65)}"`,
]
const anyValue = [awkwardString, awkwardNumber, awkwardEmail, awkwardMeta]
const words = ['null', 'true', 'false', '[]', '{}', 'undefined', 'nul', '', '"', "'x'", '"t1"']

const memberMutations: ((members: Members, random: Random) => void)[] = [
  (members, random) => set(members, '"tenantId"', oneOf(random, otherTenants)),
  (members, random) => set(members, '"orderId"', awkwardString(random)),
  (members, random) => set(members, '"userEmail"', awkwardEmail(random)),
  (members, random) => set(members, '"amount"', awkwardNumber(random)),
  (members, random) => set(members, '"amount"', String(1 + integerBelow(random, 999))),
  (members, random) => set(members, '"note"', awkwardString(random)),
  (members, random) => set(members, '"meta"', awkwardMeta(random)),
  (members, random) => set(members, '"meta"', soundObject(random, 20)),
  (members) => {
    set(members, '"tenantId"', '"t2"')
    set(members, '"userEmail"', `"hot.${privateMark}@example.com"`)
  },
  (members, random) => set(members, oneOf(random, members)[0], oneOf(random, anyValue)(random)),
  (members, random) => set(members, oneOf(random, members)[0], oneOf(random, words)),
  (members, random) => void members.splice(integerBelow(random, members.length), members.length > 1 ? 1 : 0),
  (members, random) => members.push([...oneOf(random, members)]),
  (members, random) => members.push([escapeFirst(oneOf(random, members)[0]), '1']),
  (members, random) => members.push([awkwardKey(random), oneOf(random, anyValue)(random)]),
  (members, random) => {
    oneOf(random, members)[0] = awkwardKey(random)
  },
  (members, random) => {
    const [one, other] = [oneOf(random, members), oneOf(random, members)]
    ;[one[1], other[1]] = [other[1], one[1]]
  },
  (members, random) => {
    const member = oneOf(random, members)
    ;[member[0], member[1]] = [member[1], member[0]]
  },
]

function awkwardKey(random: Random): string {
  const keys = [
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
    '"Amount"',
    '"AMOUNT"',
    '"amount "',
    '"currency"',
    '""',
  ]
  return oneOf(random, [
    ...keys,
    `"${privateMark}@example.com"`,
    'amount',
    "'amount'",
    '1',
    'null',
    awkwardString(random),
  ])
}

function set(members: Members, key: string, value: string): void {
  const member = members.find(([name]) => name === key)
  if (member === undefined) members.push([key, value])
  else member[1] = value
}

const documentMutations: ((text: string) => string | Buffer)[] = [
  (text) => `[${text}]`,
  (text) => text + text,
  (text) => `${text}\n${text}`,
  (text) => `\ufeff${text}`,
  (text) => JSON.stringify(text),
  (text) => `${text}\0`,
  (text) => `${text} // ${privateMark}`,
  (text) => text.slice(0, -1),
  (text) => text.replace('{', '{{'),
  (text) => text.replaceAll('"', "'"),
  (text) => text + ' '.repeat(70_000),
  () => '',
  () => '['.repeat(60_000),
  () => '{"a":'.repeat(10_000),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(text, 'latin1'),
]
