import { payloadMistakes } from './payload-mistakes.ts'

/**
 * Every known signing mistake: what was done, and what to do instead. The web page and the command line show the same
 * texts.
 */
export const mistakes = {
  'header-missing': {
    title: 'An authentication header is missing or empty',
    fix: 'Send X-Api-Key, X-Timestamp and X-Signature with every request.',
  },
  'header-repeated': {
    title: 'An authentication header is repeated',
    fix: 'Send each of the three headers exactly once. A proxy or a default of your HTTP client may have added the second.',
  },
  'secret-sent': {
    title: 'X-Api-Key holds the signing secret',
    fix: 'Send the API key (pck_…) instead. The secret is now exposed: ask the operator for a new key.',
  },
  'api-key-malformed': {
    title: 'X-Api-Key is not an API key alone',
    fix: 'Send the key as you received it: it begins with pck_, with nothing before or after it (no Bearer, no quotation marks).',
  },
  'placeholder-sent': {
    title: 'A header holds a placeholder instead of its value',
    fix: 'In a shell, use double quotes around the header: single quotes keep $TIMESTAMP as it is. In a program or in Postman, check that the variable is set and is replaced.',
  },
  'secret-is-api-key': {
    title: 'The secret entered here is an API key',
    fix: 'The signing secret begins with pcs_, the API key with pck_.',
  },

  'timestamp-in-seconds': {
    title: 'X-Timestamp is in seconds',
    fix: 'Send and sign milliseconds since 1970 (13 digits).',
  },
  'timestamp-in-other-unit': {
    title: 'X-Timestamp is in microseconds or nanoseconds',
    fix: 'Send and sign milliseconds since 1970 (13 digits).',
  },
  'timestamp-not-digits': {
    title: 'X-Timestamp is not plain digits',
    fix: 'Send milliseconds since 1970, such as 1763182800000: no date, fraction, exponent, sign, quotes or leading zero.',
  },
  'seconds-signed': {
    title: 'The timestamp was signed in seconds but sent in milliseconds',
    fix: 'Read the clock once, in milliseconds, and use the same digits in X-Timestamp and in the signing string.',
  },
  'milliseconds-signed': {
    title: 'The timestamp was signed in milliseconds but sent in seconds',
    fix: 'Read the clock once, in milliseconds, and use the same digits in X-Timestamp and in the signing string.',
  },
  'timestamp-signed-in-other-form': {
    title: 'The signed timestamp is written differently from the sent one',
    fix: 'Sign the characters of the X-Timestamp header exactly as they are sent.',
  },
  'clock-read-twice': {
    title: 'The signed timestamp differs from the sent one: the clock was read twice',
    fix: 'Read the clock once, and use that time in X-Timestamp and in the signing string.',
  },
  'timestamp-not-signed': {
    title: 'Only the payload was signed, without the timestamp',
    fix: 'Sign X-Timestamp, a dot, then the payload.',
  },

  'dot-missing': {
    title: 'The dot between timestamp and payload is missing',
    fix: 'Sign X-Timestamp, a dot, then the payload.',
  },
  'other-separator': {
    title: 'The separator between timestamp and payload is not a dot',
    fix: 'Sign X-Timestamp, one dot, then the payload. Do not use a space, a colon or a newline.',
  },
  'order-swapped': {
    title: 'The payload comes before the timestamp',
    fix: 'Put the timestamp first: X-Timestamp, a dot, then the payload.',
  },
  'method-or-path-signed': {
    title: 'The method or the path was signed as well',
    fix: 'They are not part of the signing string. Sign only X-Timestamp, a dot and the payload.',
  },
  'api-key-signed': {
    title: 'The API key was signed as well',
    fix: 'It is not part of the signing string. Sign only X-Timestamp, a dot and the payload.',
  },

  ...payloadMistakes,

  'api-key-as-secret': {
    title: 'The API key was used as the secret',
    fix: 'The HMAC key is the signing secret (pcs_…). The API key (pck_…) belongs in X-Api-Key only.',
  },
  'secret-without-prefix': {
    title: 'The secret was used without its prefix, pcs_',
    fix: 'The HMAC key is the whole secret as text, including pcs_.',
  },
  'secret-base64-decoded': {
    title: 'The secret was decoded from base64',
    fix: 'The HMAC key is the secret as text, exactly as you received it. Do not decode it.',
  },
  'secret-hex-decoded': {
    title: 'The secret was decoded from hex',
    fix: 'The HMAC key is the secret as text, exactly as you received it. Do not decode it.',
  },
  'secret-with-newline': {
    title: 'The secret was used with a trailing newline',
    fix: 'Trim the secret when you read it from a file or a secret store.',
  },
  'secret-with-spaces': {
    title: 'The secret was used with a leading or trailing space',
    fix: 'Trim the secret when you read it from your settings.',
  },
  'secret-with-quotes': {
    title: 'The secret was used with quotation marks around it',
    fix: 'Your configuration keeps the quotation marks: write the secret without them.',
  },
  'secret-with-name': {
    title: 'The secret was used with the name of its setting before it',
    fix: 'Your program read the whole line SIGNING_SECRET=pcs_…: use the part that begins with pcs_.',
  },
  'secret-in-other-case': {
    title: 'The secret was converted to upper case or lower case',
    fix: 'The secret is case-sensitive: use it exactly as you received it.',
  },
  'secret-encoded': {
    title: 'The secret was encoded or hashed before it was used',
    fix: 'The HMAC key is the secret as text. Do not encode it as base64 or hex, and do not hash it.',
  },
  'secret-empty': {
    title: 'The secret was empty',
    fix: 'Your program did not find the secret: check the name of the setting and where it is read.',
  },
  'secret-placeholder': {
    title: 'A placeholder was used as the secret, such as "undefined" or the name of the setting',
    fix: 'Your program did not find the secret: check the name of the setting and where it is read.',
  },

  'no-secret': {
    title: 'A plain SHA-256 hash was sent, without the secret',
    fix: 'Use HMAC-SHA-256 with the secret as the key.',
  },
  'secret-in-message': {
    title: 'A plain SHA-256 hash of secret and message was sent',
    fix: 'Use HMAC-SHA-256 with the secret as the key. Hashing the concatenation of both is not HMAC.',
  },
  'hmac-sha1': { title: 'HMAC-SHA-1 was used', fix: 'Use HMAC-SHA-256.' },
  'hmac-sha384': { title: 'HMAC-SHA-384 was used', fix: 'Use HMAC-SHA-256.' },
  'hmac-sha512': { title: 'HMAC-SHA-512 was used', fix: 'Use HMAC-SHA-256.' },
  'key-and-text-swapped': {
    title: 'The secret and the message are swapped in the HMAC call',
    fix: "The secret is the key, and the signing string is the message: check the order of your library's arguments.",
  },

  'signature-in-capitals': {
    title: 'The signature is in upper case',
    fix: 'Send it in lowercase hex.',
  },
  'signature-in-base64': {
    title: 'The signature is in base64',
    fix: 'Send it in lowercase hex: 64 characters of 0-9 and a-f.',
  },
  'signature-in-base64url': {
    title: 'The signature is in base64url',
    fix: 'Send it in lowercase hex: 64 characters of 0-9 and a-f.',
  },
  'signature-with-prefix': {
    title: 'The signature has other text around it, such as sha256= or (stdin)=',
    fix: 'Send the 64 hex digits alone.',
  },
  'signature-with-separators': {
    title: 'The signature has separators between its bytes',
    fix: 'Send 64 hex digits in a row (in C#: Convert.ToHexStringLower, not BitConverter.ToString).',
  },
  'signature-with-line-break': {
    title: 'The signature has a line break in it',
    fix: 'Send 64 hex digits in one line (xxd -p breaks its lines after 60 digits: use xxd -p -c 256).',
  },
  'signature-with-quotes': {
    title: 'The signature has quotation marks around it',
    fix: 'Send the 64 hex digits alone.',
  },
  'signature-encoded-twice': {
    title: 'The signature was encoded twice: its hex text was encoded again',
    fix: 'Encode the 32 bytes of the HMAC as hex once.',
  },
  'signature-cut': {
    title: 'The signature is truncated: its beginning is correct, its end is missing',
    fix: 'Send all 64 hex digits. A database column or a buffer may be too short; xxd -p breaks its lines after 60 digits.',
  },

  'body-changed-in-transit': {
    title: 'The body that the service received differs from the body here',
    fix: 'A proxy, a gateway or your HTTP client changed it after it was signed: compare the byte counts at each hop.',
  },
  'other-secret-or-bytes': {
    title: 'None of the known mistakes produces this signature',
    fix: 'Most likely a different secret was used (that of another key, or one from before a rotation), or different bytes were signed. Check that the API key and the secret belong together, and that your code reproduces the worked example.',
  },
} as const satisfies Record<string, { title: string; fix: string }>

export type MistakeId = keyof typeof mistakes

/** A value that may have been used. `mistakes` is empty for the correct one. */
export type Variant<T> = { value: T; mistakes: MistakeId[] }

/** What to check when the signature is correct and the service still responds with 401. */
export const whenStillRefused = [
  'INVALID_SIGNATURE: compare bodyBytes and bodySha256 of the response with the body here. If they differ, the body was changed in transit. If not, the key is unknown, expired or revoked, or belongs to a different secret.',
  'TIMESTAMP_OUT_OF_RANGE: the clock behind X-Timestamp is wrong, or the request was sent long after it was signed.',
]
