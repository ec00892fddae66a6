import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { markdown } from './markdown.ts'

const cases: [what: string, text: string, html: string][] = [
  [
    'a heading has an id to link to',
    '## First award, *now*',
    '<h2 id="first-award-now">First award, *now*</h2>',
  ],
  ['a paragraph', 'One **bold** and\ntwo', '<p>One <strong>bold</strong> and\ntwo</p>'],
  ['code is not markup', '`a**b** <c>`', '<p><code>a**b** &lt;c&gt;</code></p>'],
  [
    'a link within the page',
    'see [what `x` is](#x-1)',
    '<p>see <a href="#x-1">what <code>x</code> is</a></p>',
  ],
  ['a list, with a line that goes on', '- one\n  more\n- two', '<ul><li>one more</li><li>two</li></ul>'],
  ['HTML is text', '<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
  ['a fence is a code block', '```text\n<a>\n\n# b\n```', '<pre class="text">&lt;a&gt;\n\n# b</pre>'],
  [
    'a table',
    '| A | |\n|---|---|\n| `x \\| y` | two |',
    '<div class="scrolls"><table>\n<thead><tr><th scope="col">A</th><th scope="col">Meaning</th></tr></thead>\n<tbody><tr><td><code>x | y</code></td><td>two</td></tr></tbody>\n</table></div>',
  ],
]

for (const [what, text, html] of cases)
  test(what, () => {
    equal(markdown(text).trim(), html)
  })
