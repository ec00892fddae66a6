/** A response of the operator API. */
type ApiResponse = { status: number; headers: Headers; body: ReturnType<typeof JSON.parse> }

/** What the console does in a browser: it keeps the cookie and sends the CSRF token. */
export class ConsoleBrowser {
  readonly cookies = new Map<string, string>()
  csrfToken: string | null = null
  readonly #origin: string
  #url: string

  /** `origin`: what the address bar shows. */
  constructor(operatorUrl: string, origin = operatorUrl) {
    this.#url = operatorUrl
    this.#origin = origin
  }

  /** The same browser, led to another node by a load balancer. */
  moveTo(operatorUrl: string): void {
    this.#url = operatorUrl
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const response = await fetch(`${this.#url}/operator/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.cookies.size > 0 && {
          cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        }),
        ...(method !== 'GET' && { origin: this.#origin, 'sec-fetch-site': 'same-origin' }),
        ...(method !== 'GET' && this.csrfToken !== null && { 'x-csrf-token': this.csrfToken }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      if (value === '') this.cookies.delete(name!)
      else this.cookies.set(name!, value!)
    }
    const text = await response.text()
    const parsed = text === '' ? null : JSON.parse(text)
    if (parsed?.csrfToken !== undefined) this.csrfToken = parsed.csrfToken
    return { status: response.status, headers: response.headers, body: parsed }
  }

  signIn(name: string, password: string): Promise<ApiResponse> {
    return this.send('POST', '/session', { name, password })
  }
}
