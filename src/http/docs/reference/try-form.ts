import { escaped } from '../../../wire/pages/escaped.ts'
import type { Operation } from './document.ts'
import { code } from './prose.ts'

/** The forms that site/try.ts operates. No field has a name, so that no browser can put a value into a URL. */
export const keyForm = `<form id="key-form" autocomplete="off" hidden>
<div class="pair">
<div>
<label for="api-key">API key</label>
<input id="api-key" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="pck_…">
</div>
<div>
<label for="secret">Signing secret</label>
<input id="secret" type="password" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="pcs_…">
<label class="check"><input type="checkbox" id="show-secret"> Show the secret</label>
</div>
</div>
<p class="outcome wrong" role="status" id="key-hint"></p>
</form>`

/** What `partner create` is shown to make for tests. The forms begin with it, so that a first click does no harm. */
const sandboxTenant = 't1-test'

export function tryForm(method: string, path: string, operation: Operation): string {
  const { operationId, summary } = operation
  const credits = method !== 'get'
  const warning = `<p class="warning" id="${operationId}-real">In a sandbox tenant, the award does not count, and the response has
<code>EP-Sandbox: true</code>. In any other tenant this is a real award: <strong>it credits EP on this server</strong> to the user in
the body, and cannot be undone.</p>`
  return `<section class="try" id="try-${operationId}" aria-label="Try it: ${escaped(summary)}" hidden>
<h3 id="${operationId}-try">Try it</h3>
<p>Begin with your sandbox tenant. Here it is called ${code(sandboxTenant)}; if you have none, ask the operator for one.</p>
<form data-method="${method.toUpperCase()}" data-path="${escaped(path)}" autocomplete="off">
${queryFields(operation)}
${bodyField(operation)}
${credits ? warning : ''}
<div class="buttons">
<button type="submit"${credits ? ` aria-describedby="${operationId}-real"` : ''}>${credits ? 'Send the award' : 'Send'}</button>
<button type="button" class="quiet" data-action="sign">Sign only</button>
${credits ? '<button type="button" class="quiet" data-action="new-order">New orderId</button>' : ''}
${credits ? '' : '<button type="button" class="quiet" data-action="next" hidden>Next page</button>'}
</div>
</form>
<p class="outcome" role="status"></p>
<div class="exchange"></div>
</section>`
}

function queryFields({ operationId, parameters }: Operation): string {
  const fields = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required, schema: { examples, default: usual } }) => {
      const first = name === 'tenantId' ? sandboxTenant : String((examples as unknown[])[0])
      const value = required ? ` value="${escaped(first)}"` : ''
      const hint = usual === undefined ? '' : ` placeholder="${escaped(String(usual))}"`
      const id = `${operationId}-${name}`
      return `<div>
<label for="${id}">${code(name)}${required ? '' : ' <span class="optional">optional</span>'}</label>
<input id="${id}" data-parameter="${name}"${value}${hint} spellcheck="false" autocapitalize="off" autocomplete="off">
</div>`
    })
  return fields.length === 0 ? '' : `<div class="pair">${fields.join('\n')}</div>`
}

function bodyField({ operationId, requestBody }: Operation): string {
  if (requestBody === undefined) return ''
  const [type, { example }] = Object.entries(requestBody.content)[0]!
  const order = example as { orderId: string }
  const text = JSON.stringify(
    { ...order, tenantId: sandboxTenant, orderId: `test-${order.orderId}` },
    null,
    2,
  )
  return `<label for="${operationId}-body">Body</label>
<p class="hint" id="${operationId}-hint">Signed and sent byte for byte as shown here.</p>
<textarea id="${operationId}-body" data-content-type="${escaped(type)}" rows="${text.split('\n').length + 1}" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="${operationId}-hint">
${escaped(text)}</textarea>`
}
