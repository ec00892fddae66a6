const rawHttp =
  'paste the request as raw HTTP (request line, headers, an empty line, body), or enter its values'

const tools: [pattern: RegExp, advice: string][] = [
  [
    /(^|[\n|] *)(\$ )?https? +(-|[A-Z]+ |:|\S*\/)/,
    'this is a command of HTTPie: run it with --offline and paste the request that it prints, without sending it',
  ],
  [/(^|[\n|] *)(\$ )?wget /, `this is a command of wget: ${rawHttp}`],
  [
    /\b(Invoke-RestMethod|Invoke-WebRequest|irm|iwr)\b/i,
    `this is a command of PowerShell (Invoke-RestMethod or Invoke-WebRequest): ${rawHttp}`,
  ],
  [
    /^[ \t\ufeff]*(import|from|const|let|var|using|require|package|<\?php|await|async)\b|\b(fetch|requests\.(post|get)|axios|HttpClient|curl_init|Net::HTTP|http\.NewRequest)\b/m,
    `this is source code, and the values that it sent are unknown here: let it print X-Timestamp, X-Signature and the body, then ${rawHttp}`,
  ],
  [/^\s*[{[]/, `this is neither a curl command nor an HTTP request, only a body: ${rawHttp}`],
]

/** What to do with a request that was made by a tool whose commands are not read here; null if the tool is unknown. */
export function otherTool(text: string): string | null {
  return tools.find(([pattern]) => pattern.test(text))?.[1] ?? null
}
