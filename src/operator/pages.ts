import { escaped } from '../wire/pages/escaped.ts'
import { frame, type Site } from '../wire/pages/frame.ts'

const site: Site = {
  home: '/',
  navigation: [
    { path: '/', name: 'Overview' },
    { path: '/readyz', name: 'Readiness' },
  ],
  footer: '<p><strong>Partner Credit</strong>, for operators. Keep this port private.</p>',
}

const meanings: Record<string, string> = {
  '/livez': 'The process runs.',
  '/metrics': 'Counters and measurements in the Prometheus format.',
  '/readyz': 'An award could be made durable a moment ago; otherwise the reason, and warnings.',
}

/** What the operator's port has today, from the paths that it serves. */
export function overviewPage(paths: string[]): string {
  const rows = paths
    .filter((path) => !path.endsWith('.css'))
    .map(
      (path) =>
        `<tr><td><a href="${escaped(path)}">${escaped(path)}</a></td><td>${meanings[path] ?? ''}</td></tr>`,
    )
  return frame(site, {
    path: '/',
    title: 'Operators',
    content: `<h1>The operator's port</h1>
<p class="lead">Partner Credit is running. This port is for the people and the programs that operate it.</p>
<table>
<thead><tr><th scope="col">Path</th><th scope="col">What it says</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table>
<h2>Everything else is on the command line</h2>
<p>Run it where the database is. A running server notices a change within a second.</p>
<pre tabindex="0">node bin/partner-credit.js partner list
node bin/partner-credit.js partner create --id acme --name "Acme" --tenant t1 --sandbox-tenant t1-test
node bin/partner-credit.js verify
node bin/partner-credit.js --help</pre>
<p>The pages for partners are on the partner port, at <code>/docs</code>.</p>`,
  })
}

export const notFoundPage = frame(site, {
  path: '/404',
  title: 'Page not found',
  content: `<p class="above">HTTP 404</p>
<h1>There is no page here</h1>
<p class="lead">This is the operator's port. <a href="/">See what it has.</a></p>
<p>The API for partners and its documentation are on the partner port, at <code>/docs</code>.</p>`,
})
