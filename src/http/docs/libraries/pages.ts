import { codeBlock } from '../code-block.ts'
import { packages } from '../downloads/packages.ts'
import { markdown } from '../markdown.ts'
import type { DocsPage } from '../page.ts'
import { exportedDeclarations } from './declarations.ts'
import { sdkReference } from './sdk-reference.ts'

/** What partners can use instead of writing HTTP: the SDK, its command line, and examples in eight languages (`programs`). */
export function libraryPages(programs: string): DocsPage[] {
  const { sdk, cli } = packages
  const declarations = exportedDeclarations(sdk.types)
  const { example } = declarations.find(({ name }) => name === 'PartnerCredit')!
  return [
    { path: '/docs/libraries', title: 'Libraries', content: overview(example!, programs) },
    {
      path: '/docs/libraries/sdk',
      title: 'SDK for TypeScript and JavaScript',
      content: `${markdown(sdk.readme)}\n${sdkReference(declarations)}`,
    },
    { path: '/docs/libraries/cli', title: 'Command line', content: markdown(cli.readme) },
  ]
}

function overview(firstAward: string, programs: string): string {
  const { sdk, cli } = packages
  return `<h1>Libraries</h1>
<p class="lead">Everything that you need to call the service. The packages come from this server:
nothing has to be built or published first.</p>
<ul class="cards">
<li><a href="/docs/libraries/sdk">SDK</a><p>For TypeScript and JavaScript. Signs, retries where that is safe, and throws typed errors. No dependencies.</p></li>
<li><a href="/docs/libraries/cli">Command line</a><p>Credit, list, reconcile your orders with what was credited, and find out why a signature is wrong.</p></li>
<li><a href="#examples">Examples</a><p>One short program in each of eight languages, with the standard library alone.</p></li>
</ul>

<h2 id="sdk">SDK</h2>
<p>Node 20 and later, Bun, Deno, browsers and edge workers.</p>
${install(sdk)}
${codeBlock(firstAward, 'typescript')}
<p class="action"><a href="/docs/libraries/sdk">Guide and every type</a></p>

<h2 id="cli">Command line</h2>
<p>Node 20 and later. npm fetches its two dependencies.</p>
${install(cli)}
${codeBlock(firstCommands, 'sh')}
<p class="action"><a href="/docs/libraries/cli">Every command</a></p>

<h2 id="examples">Examples</h2>
<p>Each makes an award, sends the same again, and lists the history. Copy from it what you need: <code>sign</code> and the
three headers are all there is to it.</p>
${programs}
<p>If you write your own client, <a href="/openapi.json">the OpenAPI document</a> describes both endpoints.</p>`
}

function install({ name, version, path }: { name: string; version: string; path: string }): string {
  const file = `${name}-${version}.tgz`
  return `${codeBlock(`curl -fO http://127.0.0.1:8080${path}\nnpm install ./${file}`, 'sh')}
<p>Or <a href="${path}" download>download ${file}</a>. Keep the file with your code: then your builds need no other server.</p>`
}

const firstCommands = `export BASE_URL=http://127.0.0.1:8080
export API_KEY=pck_…
export SIGNING_SECRET=pcs_…
export TENANT_ID=t1
npx partner-credit-cli award --order order-1001 --email ann@example.com --amount 5250
npx partner-credit-cli awards`
