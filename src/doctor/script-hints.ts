const hints: [pattern: RegExp, hint: string][] = [
  [/\$\(date \+%s\)(?!000|\s*\*)/, 'date +%s prints seconds: append 000 for milliseconds'],
  [
    /\becho (?!-n)[^|\n]*\|\s*openssl/,
    'echo adds a newline that is signed but not sent: sign the output of printf instead',
  ],
  [/openssl (dgst|sha256)(?![^|\n]*-(hmac|mac))/, 'openssl without -hmac makes a hash without the secret'],
  [
    /openssl dgst(?![^|\n]*-(binary|r)\b)[^|\n]*-hmac[^|\n]*\)\s*$/m,
    "openssl prints a name before the digits: append | sed 's/^.* //'",
  ],
  [/-binary[^|\n]*\|\s*(openssl )?base64/, 'the signature is in base64: it must be lowercase hex'],
]

/** Commands that sign are at the beginning. In a long text, these patterns would search for minutes. */
const searchedMax = 4_096

/** Mistakes that can be seen in a script without its values. */
export function scriptHints(script: string): string {
  const searched = script.slice(0, searchedMax)
  const found = hints.filter(([pattern]) => pattern.test(searched)).map(([, hint]) => hint)
  return found.length === 0 ? '' : `. In the script, ${found.join('; ')}`
}
