/** A piece of code with one color; null has none. */
type Token = { kind: Kind | null; text: string }
type Kind = 'comment' | 'string' | 'number' | 'keyword' | 'name'

const slashComment = String.raw`//[^\n]*|/\*[\s\S]*?\*/`
const hashComment = String.raw`(?<=^|\s)#[^\n]*`
const doubleQuoted = String.raw`"(?:[^"\\\n]|\\.)*"`
const singleQuoted = String.raw`'(?:[^'\\\n]|\\.)*'`
const threeQuotes = '"""[\\s\\S]*?"""'
const number = String.raw`\b\d[\d_]*(?:\.\d+)?\b`
const call = String.raw`\b[A-Za-z_]\w*(?=\()`
const words = (list: string) => `\\b(?:${list.trim().replace(/\s+/g, '|')})\\b`

type Rules = Partial<Record<Kind, string[]>>

const rulesOf: Record<string, Rules> = {
  sh: {
    comment: [hashComment],
    string: [String.raw`"(?:[^"\\]|\\.)*"`, `'[^']*'`],
    keyword: [
      words('export if then else fi for while do done exit set local return npm npx node curl openssl'),
    ],
    name: [String.raw`\$\w+|\$\{[^}]*\}|\b[A-Z][A-Z_]+(?==)`],
  },
  json: {
    name: [`${doubleQuoted}(?=\\s*:)`],
    string: [doubleQuoted],
    number: [String.raw`-?\b\d[\d.eE+-]*`],
    keyword: [words('true false null')],
  },
  typescript: {
    comment: [slashComment],
    string: [doubleQuoted, singleQuoted, '`(?:[^`\\\\]|\\\\.)*`'],
    number: [number],
    keyword: [
      words(`abstract as async await boolean break class const constructor continue declare default else export extends
        false for from function if import in instanceof let new null number of readonly return static string super this
        throw true try catch type typeof undefined unknown void while`),
    ],
    name: [call],
  },
  python: {
    comment: [hashComment],
    string: [threeQuotes, `b?${doubleQuoted}`, `b?${singleQuoted}`],
    number: [number],
    keyword: [
      words(
        'and as def elif else except False for from if import in is None not or pass return True try while with',
      ),
    ],
    name: [call],
  },
  php: {
    comment: [slashComment],
    string: [doubleQuoted, singleQuoted],
    number: [number],
    keyword: [
      words('array echo exit false function if int null return string true void while'),
      String.raw`<\?php`,
    ],
    name: [call],
  },
  go: {
    comment: [slashComment],
    string: [doubleQuoted, '`[^`]*`', singleQuoted],
    number: [number],
    keyword: [
      words(
        'byte const defer else error for func if import int64 interface map nil package range return string struct type var',
      ),
    ],
    name: [call],
  },
  java: {
    comment: [slashComment],
    string: [threeQuotes, doubleQuoted, singleQuoted],
    number: [number],
    keyword: [
      words(
        'byte class else false final for if import int new null private public return static throws true try var void while',
      ),
    ],
    name: [call],
  },
  ruby: {
    comment: [hashComment],
    string: [doubleQuoted, singleQuoted],
    number: [number],
    keyword: [
      words(
        'begin def do else elsif end exit false if nil puts require rescue return self true unless while',
      ),
    ],
    name: [String.raw`\b[A-Za-z_]\w*[?!]?(?=\()|(?<=[\s({,])[a-z]\w*:(?!:)`],
  },
  csharp: {
    comment: [slashComment],
    string: ['@"(?:[^"]|"")*"', doubleQuoted, singleQuoted],
    number: [number],
    keyword: [
      words(
        'async await byte class else false foreach if in int new null public readonly return static string true try using var void while',
      ),
    ],
    name: [call],
  },
}

const kinds: Kind[] = ['comment', 'name', 'string', 'keyword', 'number']
const patterns = new Map<string, RegExp>()

/** Splits code into colored pieces. Joined, their texts are the code. Code in an unknown language is one piece. */
export function tokensOf(code: string, language: string): Token[] {
  const rules = rulesOf[language]
  if (rules === undefined) return [{ kind: null, text: code }]
  const tokens: Token[] = []
  let end = 0
  for (const match of code.matchAll(patternOf(language, rules))) {
    if (match.index > end) tokens.push({ kind: null, text: code.slice(end, match.index) })
    const kind = kinds.find((kind) => match.groups![kind] !== undefined)!
    tokens.push({ kind, text: match[0] })
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ kind: null, text: code.slice(end) })
  return tokens
}

/** Where two rules match at the same place, the first wins: a key of JSON before a string. */
function patternOf(language: string, rules: Rules): RegExp {
  const known = patterns.get(language)
  if (known !== undefined) return known
  const ordered = language === 'json' ? kinds : (['comment', 'string', 'keyword', 'number', 'name'] as const)
  const groups = ordered.filter((kind) => rules[kind] !== undefined)
  const pattern = new RegExp(groups.map((kind) => `(?<${kind}>${rules[kind]!.join('|')})`).join('|'), 'gm')
  patterns.set(language, pattern)
  return pattern
}
