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

  'body-compact': {
    title: 'The body was signed as compact JSON but sent with different white space',
    fix: 'Build the body once, as bytes, then sign and send those bytes. Do not let the HTTP client serialize it again.',
  },
  'body-spaced': {
    title: 'The body was signed as JSON with a space after each comma and colon, but sent differently',
    fix: 'Build the body once, as bytes, and send what you signed. (This is the default format of json.dumps in Python: pass data=body, not json=….)',
  },
  'body-pretty': {
    title: 'The body was signed as indented JSON but sent with different white space',
    fix: 'Build the body once, as bytes, then sign and send those bytes. Do not format it again for signing.',
  },
  'keys-sorted': {
    title: 'The body was signed with its keys sorted but sent in a different order',
    fix: 'Do not sort keys for signing: sign the body exactly as it is sent.',
  },
  'slashes-escaped': {
    title: 'The body was signed with escaped slashes (\\/) but sent without',
    fix: 'Build the body once and send what you signed (in PHP, call json_encode once and keep the result).',
  },
  'non-ascii-escaped': {
    title: 'The body was signed with \\u escapes for non-ASCII characters but sent without',
    fix: 'Build the body once, as bytes, and send what you signed. Either form is valid, but both must be the same.',
  },
  'html-escaped': {
    title: 'The body was signed with \\u escapes for characters such as < > & but sent without',
    fix: 'Build the body once, as bytes, and send what you signed (Go and .NET escape these by default).',
  },
  'escapes-removed': {
    title: 'The body was sent with escapes (\\/ or \\u…) that were not signed',
    fix: 'Build the body once, as bytes, then sign and send those bytes.',
  },
  'numbers-rewritten': {
    title: 'The body was signed with its numbers written differently',
    fix: 'Some code parsed the JSON and serialized it again (5000.0 became 5000). Sign the bytes that are sent.',
  },
  'newline-signed': {
    title: 'The signed payload ends with a newline that was not sent',
    fix: "echo adds a newline: sign the output of printf '%s' instead. If you read the body from a file, send that file unchanged.",
  },
  'newline-not-signed': {
    title: 'The sent payload ends with a newline that was not signed',
    fix: 'Sign the bytes that are sent, including the last newline, or send the body without it.',
  },
  'white-space-trimmed': {
    title: 'The sent payload has leading or trailing white space that was not signed',
    fix: 'Sign the bytes that are sent, or trim the body before both.',
  },
  'line-endings': {
    title: 'The line endings differ: CRLF on one side, LF on the other',
    fix: 'Read and send the body in binary mode. An editor, git or a file opened in text mode has converted the line endings.',
  },
  'newlines-dropped': {
    title: 'The body was signed with its newlines but sent without',
    fix: 'curl -d @file drops newlines: use --data-binary @file.',
  },
  'newlines-not-signed': {
    title: 'The body was signed without its newlines but sent with them',
    fix: 'Read the body once, in binary mode, and sign what you read.',
  },
  'byte-order-mark': {
    title: 'Only one side has a byte order mark (EF BB BF)',
    fix: 'Write the body as UTF-8 without a byte order mark. The service rejects a body that has one.',
  },
  'other-encoding': {
    title: 'The body was signed and sent in different character encodings',
    fix: 'Encode the text as UTF-8 once, then sign and send those bytes.',
  },
  'unicode-normalised': {
    title: 'Non-ASCII characters were normalized (NFC or NFD) on one side only',
    fix: 'Sign and send the same bytes: do not normalize in between.',
  },
  'body-quoted': {
    title: 'The body was serialized twice: a JSON string that contains JSON was signed',
    fix: 'Serialize the body once, and sign the result.',
  },
  'hash-signed': {
    title: 'A hash of the body was signed instead of the body',
    fix: 'Sign X-Timestamp, a dot and the body itself.',
  },
  'base64-signed': {
    title: 'The base64 of the payload was signed instead of the payload',
    fix: 'Sign the payload itself, byte for byte.',
  },
  'payload-empty': {
    title: 'The signed payload is empty: nothing follows the dot',
    fix: 'An award signs its raw body, a history request its tenantId. Check that the body is complete before you sign it, and that a stream is not read twice.',
  },
  'tenant-signed-for-award': {
    title: 'An award was signed like a history request, over the tenantId',
    fix: 'POST signs X-Timestamp, a dot and the raw body.',
  },
  'body-signed-for-history': {
    title: 'A history request was signed like an award, over its (empty) body',
    fix: 'GET signs X-Timestamp, a dot and the tenantId from the query string.',
  },
  'query-signed': {
    title: 'The query string was signed instead of the tenantId alone',
    fix: 'GET signs X-Timestamp, a dot and the value of tenantId, without its name, other parameters or the path.',
  },
  'tenant-percent-encoded': {
    title: 'The tenantId was signed percent-encoded',
    fix: 'Sign the decoded value. Encode it in the URL only.',
  },

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
    title: 'The signature has a prefix, such as sha256=',
    fix: 'Send the 64 hex digits alone.',
  },
  'signature-with-separators': {
    title: 'The signature has separators between its bytes',
    fix: 'Send 64 hex digits in a row (in C#: Convert.ToHexStringLower, not BitConverter.ToString).',
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
    fix: 'Send all 64 hex digits. A database column or a buffer may be too short.',
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
