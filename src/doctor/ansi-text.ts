type Reading = { ok: true; text: string } | { ok: false; problem: string }

/** The text inside bash's $'…', with its escapes replaced. */
export function ansiText(inside: string): Reading {
  const impossible = inside.match(ansiEscape)?.find(isNoCharacter)
  if (impossible !== undefined) return { ok: false, problem: `${impossible} is not a Unicode character` }
  return { ok: true, text: inside.replace(ansiEscape, unescaped) }
}

const ansiEscape = /\\(u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)/gs

/** Outside Unicode, or a lone surrogate: it has no UTF-8 encoding. */
function isNoCharacter(sequence: string): boolean {
  const code = /^\\[uU]([0-9a-fA-F]+)$/.exec(sequence)?.[1]
  if (code === undefined) return false
  const point = Number.parseInt(code, 16)
  return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
}

function unescaped(_: string, code: string): string {
  if (/^[uUx]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
  if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8))
  return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', a: '\x07', e: '\x1b' }[code] ?? code
}
