import type { Schema } from '../../../wire/problems/member-schema.ts'
import { readDocument } from './document.ts'
import { errorBodies } from './error-bodies.ts'
import { shownOperation } from './operation.ts'
import { inline, prose } from './prose.ts'
import { keyForm } from './try-form.ts'

/** The reference, made from the OpenAPI document alone: what the one says, the other says. */
export function referenceContent(openApi: Schema): string {
  const document = readDocument(openApi)
  const { info, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const links = operations.map(
    ({ operation }) => `<li><a href="#${operation.operationId}">${inline(operation.summary)}</a></li>`,
  )
  return `<h1>Reference</h1>
<p class="lead">${inline(info.summary)}</p>
<nav class="contents" aria-label="On this page">
<ul><li><a href="#key">Your key</a></li>${links.join('')}<li><a href="#error-bodies">Errors</a></li></ul>
</nav>
${prose(aboutTheService(info.description))}
<p class="action"><a href="/openapi.json">The same as an OpenAPI document</a></p>

<h2 id="key">Your key</h2>
<p>Every operation can be tried here, against this server. The secret stays in the memory of this page: it signs, it is
neither sent nor stored, and it is gone when you leave.</p>
<noscript><p class="warning">Trying needs JavaScript. Reading does not.</p></noscript>
<p class="warning" id="insecure" hidden>Your browser signs only on pages that come over https or from localhost. Open this
page so to try the operations here.</p>
${keyForm}

${operations.map(({ method, path, operation }) => shownOperation(method, path, operation, document)).join('\n')}

<h2 id="error-bodies">Errors</h2>
<p>Every error has these members. <a href="/docs/errors">What each code means, and what to do</a> is a page of its
own.</p>
${errorBodies(components.schemas)}`
}

/** Without what explains the document's own extensions: here they are lists with words in front. */
function aboutTheService(description: string): string {
  return description
    .split('\n\n')
    .filter((paragraph) => !paragraph.startsWith('`x-'))
    .join('\n\n')
}
