import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { Lifetime } from './service.ts'

type Person = {
  sub: string
  email?: string
  email_verified?: boolean
  /** What the ID token says of an address that only the provider's other response has. */
  verifiedInIdToken?: boolean
}

/** A real OpenID provider on this machine. Whoever signs in there as `sub` has the claims that the test has set. */
type OidcProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  people: Map<string, Person>
  /** What becomes of its responses with tokens, as JSON. A test may replace it. */
  tokens: { change(json: string): string }
  /** The same for the document with its addresses. */
  discovery: { change(json: string): string }
  /** It responds when this is resolved. A test may replace it. */
  hold: Promise<void>
  /** What a browser does at the provider, from our redirect to the one back to us: the URL of it. */
  signInAs(sub: string, url: string): Promise<string>
}

export async function anOidcProvider(test: Lifetime, redirectUri: string): Promise<OidcProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [clientId, clientSecret] = ['partner-credit', 'a secret of the client']
  const people = new Map<string, Person>()
  const tokens = { change: (json: string) => json }
  const discovery = { change: (json: string) => json }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        subject_type: 'pairwise',
      },
    ],
    // So that a test can choose the subject, also one that nobody could sign in with.
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_, id) => people.get(id)?.sub ?? id,
    claims: { openid: ['sub', 'email_verified'], email: ['email'] },
    cookies: { keys: ['a key of the provider'] },
    async findAccount(_, id) {
      const { verifiedInIdToken, ...person }: Person = people.get(id) ?? { sub: id }
      const inIdToken = { ...person, email_verified: verifiedInIdToken }
      return { accountId: id, claims: async (use) => (use === 'id_token' ? inIdToken : person) }
    },
  })
  provider.silent = true // when we close a connection on which it says too much
  const respond = provider.callback()
  server.on('request', async (request, response) => {
    await made.hold
    if (request.url === '/token') changeBody(response, (json) => tokens.change(json))
    if (request.url === '/.well-known/openid-configuration')
      changeBody(response, (json) => discovery.change(json))
    void respond(request, response)
  })
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })

  async function signInAs(sub: string, url: string): Promise<string> {
    const jar = new Map<string, string>()
    let next: { url: string; form?: Record<string, string> } = { url }
    for (let step = 0; step < 20; step++) {
      const response = await fetch(next.url, {
        redirect: 'manual',
        headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(next.form === undefined ? {} : { method: 'POST', body: new URLSearchParams(next.form) }),
      })
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
        jar.set(name!, value!)
      }
      const location = response.headers.get('location')
      if (location === null) {
        const page = await response.text()
        const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
        if (prompt === undefined)
          throw new Error(`the provider shows ${response.status} ${page.slice(0, 500)}`)
        next = { url: next.url, form: { prompt, login: sub, password: 'x' } }
        continue
      }
      const target = new URL(location, next.url)
      if (target.href.startsWith(redirectUri)) return target.href
      next = { url: target.href }
    }
    throw new Error('the provider redirects for ever')
  }
  const made = {
    ...{ issuer, clientId, clientSecret, people, tokens, discovery, signInAs },
    hold: Promise.resolve(),
  }
  return made
}

function changeBody(response: ServerResponse, change: (body: string) => string): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse
  response.end = ((body: string | Buffer) => {
    const changed = change(String(body))
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }) as typeof response.end
}
