/**
 * Every way to get a signature wrong that we know, in words: what was done, and what to do instead. The page and the
 * terminal say the same.
 */
export const mistakes = {
  'header-missing': {
    title: 'An authentication header is missing or empty',
    fix: 'Send X-Api-Key, X-Timestamp and X-Signature with every request.',
  },
  'header-repeated': {
    title: 'An authentication header is there twice',
    fix: 'Send each of the three headers exactly once. A proxy or a default of your HTTP client may add the second.',
  },
  'secret-sent': {
    title: 'X-Api-Key holds the signing secret',
    fix: 'Put the API key (pck_…) there. The secret has been sent: ask the operator for a new key.',
  },
  'secret-is-api-key': {
    title: 'What you gave as the secret here is an API key',
    fix: 'The signing secret begins with pcs_, the API key with pck_.',
  },

  'timestamp-in-seconds': {
    title: 'X-Timestamp is in seconds',
    fix: 'It is milliseconds since 1970: 13 digits. Send and sign those.',
  },
  'timestamp-in-other-unit': {
    title: 'X-Timestamp is in microseconds or nanoseconds',
    fix: 'It is milliseconds since 1970: 13 digits. Send and sign those.',
  },
  'timestamp-not-digits': {
    title: 'X-Timestamp is not plain digits',
    fix: 'No date, fraction, exponent, sign, quotes or leading zero: milliseconds since 1970, such as 1763182800000.',
  },
  'seconds-signed': {
    title: 'The timestamp was signed in seconds, and sent in milliseconds',
    fix: 'Take the time once, in milliseconds, and use the same digits in X-Timestamp and in the signing string.',
  },
  'timestamp-signed-in-other-form': {
    title: 'The timestamp was signed in another form than it was sent',
    fix: 'Sign the characters of the X-Timestamp header as they are sent.',
  },
  'clock-read-twice': {
    title: 'Another timestamp was signed than sent: the clock was read twice',
    fix: 'Take the time once, and use it in X-Timestamp and in the signing string.',
  },
  'timestamp-not-signed': {
    title: 'The payload alone was signed, without the timestamp',
    fix: 'Sign X-Timestamp, a dot, then the payload.',
  },

  'dot-missing': {
    title: 'The dot between timestamp and payload is missing',
    fix: 'Sign X-Timestamp, a dot, then the payload.',
  },
  'other-separator': {
    title: 'Something else than a dot stands between timestamp and payload',
    fix: 'Sign X-Timestamp, one dot, then the payload; no space, colon or newline.',
  },
  'order-swapped': {
    title: 'The payload was put before the timestamp',
    fix: 'The timestamp comes first: X-Timestamp, a dot, then the payload.',
  },
  'method-or-path-signed': {
    title: 'Method or path were signed, too',
    fix: 'They are not part of the signing string: only X-Timestamp, a dot and the payload are.',
  },
  'api-key-signed': {
    title: 'The API key was signed, too',
    fix: 'It is not part of the signing string: only X-Timestamp, a dot and the payload are.',
  },

  'body-compact': {
    title: 'The body was signed as compact JSON, and sent with other white space',
    fix: 'Build the body once, as bytes. Sign those bytes and send those bytes; do not let the HTTP client serialise it again.',
  },
  'body-spaced': {
    title: 'The body was signed as JSON with a space after each comma and colon, and sent otherwise',
    fix: "Build the body once, as bytes, and send what you signed (in Python: data=body, not json=…; this is json.dumps' form).",
  },
  'body-pretty': {
    title: 'The body was signed as indented JSON, and sent with other white space',
    fix: 'Build the body once, as bytes. Sign those bytes and send those bytes; do not print it anew for signing.',
  },
  'keys-sorted': {
    title: 'The body was signed with its keys in alphabetical order, and sent in another order',
    fix: 'Nothing is sorted here: sign the body exactly as it is sent.',
  },
  'slashes-escaped': {
    title: 'The body was signed with its slashes escaped (\\/), and sent without',
    fix: 'Build the body once and send what you signed (in PHP: one json_encode, kept in a variable).',
  },
  'non-ascii-escaped': {
    title: 'The body was signed with \\u escapes for letters beyond ASCII, and sent without',
    fix: 'Build the body once, as bytes, and send what you signed. Both forms are fine; they must be the same.',
  },
  'html-escaped': {
    title: 'The body was signed with \\u escapes for characters such as < > &, and sent without',
    fix: 'Build the body once, as bytes, and send what you signed (Go and .NET escape these by default).',
  },
  'escapes-removed': {
    title: 'The body was sent with escapes (\\/ or \\u…) that were not in what was signed',
    fix: 'Build the body once, as bytes. Sign those bytes and send those bytes.',
  },
  'numbers-rewritten': {
    title: 'The body was signed with its numbers written in another way',
    fix: 'Something parsed the JSON and wrote it again (5000.0 became 5000). Sign the bytes that are sent.',
  },
  'newline-signed': {
    title: 'A newline was signed at the end that is not in what was sent',
    fix: "Do not sign with echo, which adds one: use printf '%s'. When you read the body from a file, send that file unchanged.",
  },
  'newline-not-signed': {
    title: 'What was sent ends in a newline that was not signed',
    fix: 'Sign the bytes that are sent, the last newline included, or send the body without it.',
  },
  'white-space-trimmed': {
    title: 'What was sent has white space around it that was not signed',
    fix: 'Sign the bytes that are sent, or trim the body before both.',
  },
  'line-endings': {
    title: 'The line endings differ: CRLF on one side, LF on the other',
    fix: 'Send the body in binary: something on the way (an editor, git, a text-mode file) turns line endings.',
  },
  'newlines-dropped': {
    title: 'The body was signed with its newlines, and sent without',
    fix: 'curl -d @file drops newlines: use --data-binary @file.',
  },
  'newlines-not-signed': {
    title: 'The body was signed without its newlines, and sent with them',
    fix: 'Read the body in binary, once, and sign what you read.',
  },
  'byte-order-mark': {
    title: 'A byte order mark (EF BB BF) is on one side only',
    fix: 'Write the body as UTF-8 without a byte order mark: the service refuses one anyway.',
  },
  'other-encoding': {
    title: 'The body was signed in another character encoding than it was sent in',
    fix: 'Turn the text into UTF-8 bytes once; sign and send those bytes.',
  },
  'unicode-normalised': {
    title: 'The letters beyond ASCII were normalised (NFC or NFD) on one side',
    fix: 'Sign and send the same bytes: do not normalise in between.',
  },
  'body-quoted': {
    title: 'The body was serialised twice: a JSON string that holds JSON was signed',
    fix: 'Sign the body itself. Serialise it once.',
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
    title: 'Nothing was signed behind the dot',
    fix: 'An award signs its raw body, a history request its tenantId. Was the body read before it was filled, or read twice from a stream?',
  },
  'tenant-signed-for-award': {
    title: 'An award was signed like a history request: over the tenantId',
    fix: 'POST signs X-Timestamp, a dot and the raw body.',
  },
  'body-signed-for-history': {
    title: 'A history request was signed like an award: over its (empty) body',
    fix: 'GET signs X-Timestamp, a dot and the tenantId of the query.',
  },
  'query-signed': {
    title: 'The query was signed, not the value of tenantId alone',
    fix: 'GET signs X-Timestamp, a dot and the value of tenantId: no name, no other parameter, no path.',
  },
  'tenant-percent-encoded': {
    title: 'The tenantId was signed in its percent-encoded form',
    fix: 'Sign the decoded value; encode it only in the URL.',
  },

  'api-key-as-secret': {
    title: 'The API key was used as the secret',
    fix: 'The key of the HMAC is the signing secret (pcs_…); the API key (pck_…) only goes into X-Api-Key.',
  },
  'secret-without-prefix': {
    title: 'The secret was used without its beginning, pcs_',
    fix: 'The key of the HMAC is the whole secret as text, pcs_ included.',
  },
  'secret-base64-decoded': {
    title: 'The secret was decoded from base64',
    fix: 'The key of the HMAC is the secret as text, as it was given to you: do not decode it.',
  },
  'secret-hex-decoded': {
    title: 'The secret was decoded from hex',
    fix: 'The key of the HMAC is the secret as text, as it was given to you: do not decode it.',
  },
  'secret-with-newline': {
    title: 'The secret was used with a newline at its end',
    fix: 'Trim the secret when you read it from a file or a secret store.',
  },
  'secret-with-spaces': {
    title: 'The secret was used with a space before or behind it',
    fix: 'Trim the secret when you read it from your settings.',
  },
  'secret-with-quotes': {
    title: 'The secret was used with quotation marks around it',
    fix: 'Your settings keep the quotes: write the secret without them.',
  },
  'secret-in-other-case': {
    title: 'The secret was used in all capitals or all small letters',
    fix: 'Its case counts: use it as it was given to you.',
  },
  'secret-encoded': {
    title: 'The secret was encoded or hashed before it was used',
    fix: 'The key of the HMAC is the secret as text: no base64, no hex, no hash of it.',
  },
  'secret-empty': {
    title: 'The secret was empty',
    fix: 'Your program did not find the secret: look at the name of the setting and where it is read.',
  },
  'secret-placeholder': {
    title: 'A placeholder was used as the secret, such as "undefined" or the name of the setting',
    fix: 'Your program did not find the secret: look at the name of the setting and where it is read.',
  },

  'no-secret': {
    title: 'A plain SHA-256 was sent: the secret is not in it',
    fix: 'Use HMAC-SHA-256, keyed with the secret.',
  },
  'secret-in-message': {
    title: 'A plain SHA-256 over secret and text was sent',
    fix: 'Use HMAC-SHA-256, keyed with the secret: it is another function than a hash of both put together.',
  },
  'hmac-sha1': { title: 'HMAC-SHA-1 was used', fix: 'Use HMAC-SHA-256.' },
  'hmac-sha384': { title: 'HMAC-SHA-384 was used', fix: 'Use HMAC-SHA-256.' },
  'hmac-sha512': { title: 'HMAC-SHA-512 was used', fix: 'Use HMAC-SHA-256.' },
  'key-and-text-swapped': {
    title: 'Secret and text changed places in the call of the HMAC',
    fix: "The secret is the key, the signing string is the data: look at the order of your library's arguments.",
  },

  'signature-in-capitals': {
    title: 'The signature is in capital letters',
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
    title: 'The signature has something before it, such as sha256=',
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
    title: 'The signature was encoded twice: what was encoded was hex already',
    fix: 'Turn the 32 bytes of the HMAC into hex once.',
  },
  'signature-cut': {
    title: 'The signature is the beginning of the right one: its end is missing',
    fix: 'Send all 64 hex digits: a column or a variable may be too short.',
  },

  'body-changed-in-transit': {
    title: 'Another body arrived than the one here',
    fix: 'A proxy, a gateway or your HTTP client changes it after you have signed: compare byte counts hop by hop.',
  },
  'other-secret-or-bytes': {
    title: 'None of the usual mistakes gives this signature',
    fix: "Most likely another secret was used (another key's, or one from before a rotation), or other bytes were signed than those here. Check that key and secret belong together, and that your code passes the worked example.",
  },
} as const satisfies Record<string, { title: string; fix: string }>

export type MistakeId = keyof typeof mistakes

/** One of several things that could have been used; with the right one, no mistake was made. */
export type Variant<T> = { value: T; mistakes: MistakeId[] }

/** Where to look when a signature is right and the service still answers 401. */
export const whenStillRefused = [
  'INVALID_SIGNATURE: compare bodyBytes and bodySha256 of the answer with the body here. If they differ, something changed the body on the way. If not, the key is unknown, expired or revoked, or belongs to another secret.',
  'TIMESTAMP_OUT_OF_RANGE: the clock that made X-Timestamp is wrong, or the request was sent long after it was signed.',
]
