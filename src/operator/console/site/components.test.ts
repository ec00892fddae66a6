import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as copying from './components/copy-block.ts'
import { actionDialog, reasonField } from './components/action-dialog.ts'
import * as fields from './components/field.ts'
import { figures, rows } from './components/figures.ts'
import { code, mark, stored } from './components/mark.ts'
import { levelOf, use } from './components/meter.ts'
import { body, grid, stack } from './components/panel.ts'
import { progress } from './components/progress.ts'
import { whenLoaded } from './components/states.ts'
import { sub, table } from './components/table.ts'
import { useLoaded } from './load.ts'

/** The elements of a tree as text, without running components. */
function outline(node: unknown): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(outline).join('')
  if (typeof node !== 'object') return String(node)
  const { type, props } = node as { type: unknown; props: Record<string, unknown> & { children?: unknown } }
  if (typeof type !== 'string') return outline(props.children)
  const { children, ...attributes } = props
  const shown = Object.entries(attributes)
    .filter(([, value]) => typeof value === 'string' && value !== '')
    .map(([name, value]) => ` ${name}="${value}"`)
  return `<${type}${shown.join('')}>${outline(children)}</${type}>`
}

test('a table has a caption, column headers, row headers and labels for narrow screens', () => {
  const shown = outline(
    table({
      caption: 'Keys',
      columns: [{ head: 'Key' }, { head: 'Age', isNumber: true }],
      rows: [{ key: 'k', cells: ['key_1', ['3 d', sub('old')]] }],
      foot: ['Total', '1'],
    }),
  )
  for (const part of [
    '<caption class="vh">Keys</caption>',
    '<th scope="col">Key</th>',
    '<th scope="row">key_1</th>',
    'data-l="Age"',
    'role="region" aria-label="Keys"',
    '<tfoot>',
  ])
    assert.ok(shown.includes(part), `${part} in ${shown}`)
})

test('the use of a cap is said in numbers; 80% is attention and 95% is bad, and a cap of 0 is full', () => {
  assert.deepEqual(
    [levelOf(799, 1000), levelOf(800, 1000), levelOf(950, 1000), levelOf(0, 0)],
    ['good', 'attention', 'bad', 'bad'],
  )
  const shown = outline(use({ used: 498_720, limit: 500_000 }))
  assert.match(shown, /498,720 <span class="soft">of 500,000.*99\.7%/)
})

test('stored text is isolated, and a code may break at its underscores', () => {
  assert.equal(outline(stored('a\u202Eb')), '<bdi>a\u202Eb</bdi>')
  assert.equal(outline(code('DAILY_CAP')), '<span class="code">DAILY_<wbr></wbr>CAP</span>')
})

test('a field names its control and says what is wrong with it', () => {
  const shown = outline(
    fields.textField({ label: 'Name', id: 'name', value: 'x', onInput: () => undefined, error: 'too short' }),
  )
  assert.match(shown, /<label for="name">Name<\/label><input .*aria-describedby="name-hint"/)
  assert.match(shown, /<p class="hint wrong" id="name-hint" role="alert">too short<\/p>/)
})

test('what could not be loaded keeps what was loaded earlier', () => {
  const nothing = () => undefined
  const loaded = {
    data: 'figures',
    at: 0,
    problem: null,
    waiting: 'not' as const,
    reload: nothing,
    cancel: nothing,
  }
  const show = (data: string) => data
  assert.match(outline(whenLoaded(loaded, { what: 'The figures' }, show)), /figures/)
  const waiting = { ...loaded, data: null, waiting: 'long' as const }
  assert.match(
    outline(whenLoaded(waiting, { what: 'The figures' }, show)),
    /Still loading the figures.*Cancel/s,
  )
})

test('the other components give elements', () => {
  const parts = [
    figures([{ name: 'Awards', value: '1' }]),
    rows([['State', 'Sound']]),
    grid(stack(body('x'))),
    mark('good', 'Live'),
    reasonField({ value: '', onInput: () => undefined }),
    progress({ done: 0.5, label: 'Verification', text: '5 of 10' }),
    fields.segmented('Period', [{ name: 'Day', href: '/', isCurrent: true }]),
    fields.filters(
      fields.selectField({ label: 'Tenant', id: 't', value: '', onChange: () => undefined, options: [] }),
    ),
  ]
  for (const part of parts) assert.match(outline(part), /^<\w/)
  const dialogProps = {
    title: 'x',
    consequences: [],
    button: 'x',
    run: async () => undefined,
    onClose: () => undefined,
  }
  assert.equal(actionDialog(dialogProps).props.button, 'x')
  assert.equal(useLoaded.length, 2)
  assert.equal(copying.copyButton({ text: 'x', label: 'Copy' }).props.text, 'x')
})
