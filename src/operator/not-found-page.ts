import { frame, type Site } from '../wire/pages/frame.ts'

const site: Site = {
  home: '/',
  navigation: [
    { path: '/', name: 'Console' },
    { path: '/readyz', name: 'Readiness' },
  ],
  footer: '<p><strong>Partner Credit</strong>, for operators. Keep this port private.</p>',
}

/** At an address of the operator's port where there is nothing. It needs no account: it reveals nothing. */
export const notFoundPage = frame(site, {
  path: '/404',
  title: 'Page not found',
  content: `<p class="above">HTTP 404</p>
<h1>There is no page here</h1>
<p class="lead">This is the operator's port. <a href="/">Open the console.</a></p>
<p>Programs find <code>/livez</code>, <code>/readyz</code>, <code>/metrics</code> and the API under
<code>/operator/v1</code> here. The API for partners and its documentation are on the partner port, at
<code>/docs</code>.</p>`,
})
