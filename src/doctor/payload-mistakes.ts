/** The mistakes about what is signed after the dot: an award's body, or the tenantId of a history request. */
export const payloadMistakes = {
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
  'python-repr-signed': {
    title: "The body was signed as Python prints it (b'…' or {'…'}), not as it was sent",
    fix: "Build the body once with json.dumps(…).encode(), and sign bytes: timestamp.encode() + b'.' + body.",
  },
  'placeholder-signed': {
    title: 'A placeholder was signed instead of a value, such as $BODY or "undefined"',
    fix: 'In a shell, use double quotes: single quotes keep $BODY as it is. In a program, check that the variable is set and that the text is a template (an f-string in Python, backquotes in JavaScript), and serialize objects to JSON first.',
  },
  'changed-by-echo': {
    title: 'echo changed the text that was signed',
    fix: 'Shells differ in what echo does with -n and with backslashes: sign the output of printf \'%s.%s\' "$TIMESTAMP" "$BODY".',
  },
  'white-space-collapsed': {
    title: 'The body was signed with each run of spaces and newlines as one space',
    fix: 'Without double quotes, the shell splits a variable at white space: write "$BODY", not $BODY.',
  },
  'body-quotes-lost': {
    title: 'The body is not JSON: its quotation marks are missing, escaped or single',
    fix: 'The shell changed them, as PowerShell and cmd.exe do. Write the body to a file, sign that file, and send it with --data-binary @file.',
  },
  'body-form-encoded': {
    title: 'The body is a form (a=1&b=2), not JSON',
    fix: 'Send the JSON text that you signed. (In Python, data= with a dict sends a form: pass the signed bytes.)',
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
} as const satisfies Record<string, { title: string; fix: string }>
