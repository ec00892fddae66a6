import { framed } from './page.ts'

/** For browsers. It does not repeat the path, which the author of a link can choose. */
export const notFoundPage = framed({
  path: '/404',
  title: 'Page not found',
  content: `<p class="above">HTTP 404</p>
<h1>There is no page here</h1>
<p class="lead">The address is not one of this service. Check it for a typo, or start from one of these:</p>
<ul>
<li><a href="/docs">Your first award</a>, and how signing, caps and paging work</li>
<li><a href="/docs/reference">Reference</a>: every field and response, and forms to try them</li>
<li><a href="/docs/libraries">Libraries</a>: the SDK, its command line, and examples in eight languages</li>
<li><a href="/docs/signature">Signature debugger</a>: why a signature is refused</li>
<li><a href="/docs/errors">Errors</a>: what each code means and what to do</li>
</ul>
<p>The API itself has two endpoints: <code>POST /v1/ep/webhook</code> and <code>GET /v1/ep/webhook/awards</code>. Their
paths match byte for byte, without a slash at the end.</p>`,
})
