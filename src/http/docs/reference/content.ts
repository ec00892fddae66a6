import type { Schema } from '../../../wire/problems/member-schema.ts'
import { signTabs } from '../language-tabs.ts'
import { readDocument } from './document.ts'
import { errorBodies } from './error-bodies.ts'
import { shownOperation } from './operation.ts'
import { inline, prose } from './prose.ts'
import { keyForm } from './try-form.ts'

/** The reference page, made from the OpenAPI document, so that the two always agree. */
export function referenceContent(openApi: Schema): string {
  const document = readDocument(openApi)
  const { info, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const [signing = '', ...more] = aboutTheService(info.description)
  return `<h1>Reference</h1>
<p class="lead">${inline(info.summary)}</p>
${prose(more.join('\n\n'))}
<p class="action"><a href="/openapi.json">Download the OpenAPI document</a></p>

<h2 id="signing">Signing</h2>
${prose(signing)}
${signTabs()}

<h2 id="key">Your key</h2>
<p>You can try every operation here, against this server. The secret stays in the memory of this page: it is used to
sign, is never sent or stored, and is gone when you leave.</p>
<noscript><p class="warning">Trying an operation needs JavaScript. Reading does not.</p></noscript>
<p class="warning" id="insecure" hidden>Your browser can sign only on pages served over https or from localhost. Open this
page that way to try the operations.</p>
${keyForm}

${operations.map(({ method, path, operation }) => shownOperation(method, path, operation, document)).join('\n')}

<h2 id="error-bodies">Errors</h2>
<p>Every error has these members. See <a href="/docs/errors">what each code means and what to do</a>.</p>
${errorBodies(components.schemas)}`
}

/** The paragraphs, the one about signing first; without that about the document's extensions, which are lists here. */
function aboutTheService(description: string): string[] {
  return description.split('\n\n').filter((paragraph) => !paragraph.startsWith('`x-'))
}
