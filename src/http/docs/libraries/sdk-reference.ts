import { escaped } from '../../../wire/pages/escaped.ts'
import { codeBlock } from '../code-block.ts'
import { prose } from '../reference/prose.ts'
import type { Declaration } from './declarations.ts'

/** Every export of the SDK with its members, made from its types. */
export function sdkReference(declarations: Declaration[]): string {
  const names = new Set(declarations.map(({ name }) => name))
  const isError = ({ name }: Declaration) => name.endsWith('Error')
  const calls = declarations.filter(({ code }) => /^export declare (class|function)/.test(code))
  const groups = [
    ['Classes and functions', calls.filter((declaration) => !isError(declaration))],
    ['Types', declarations.filter((declaration) => !calls.includes(declaration))],
    ['Error classes', calls.filter(isError)],
  ] as const
  return groups
    .map(
      ([title, group]) =>
        `<h2 id="${title.toLowerCase().replaceAll(' ', '-')}">${title}</h2>\n${group.map((one) => shown(one, names)).join('\n')}`,
    )
    .join('\n')
}

function shown(declaration: Declaration, names: Set<string>): string {
  const { name, code, description, example, members } = declaration
  const parent = /extends (\w+)/.exec(code)?.[1]
  const listed = members.filter((member) => member.name !== 'constructor' || !name.endsWith('Error'))
  return `<section class="declaration">
<h3 id="${name}"><code>${name}</code></h3>
${parent === undefined || !names.has(parent) ? '' : `<p class="hint">extends ${linked(parent, names)}</p>`}
${description === '' ? '' : prose(description)}
${example === null ? '' : codeBlock(example, 'typescript')}
${members.length === 0 ? codeBlock(code.replace(/^export (declare )?/, ''), 'typescript') : membersList(listed, names)}
</section>`
}

function membersList(members: Declaration[], names: Set<string>): string {
  const rows = members.map(({ name, code, description, example }) => {
    const isCall = /^(readonly )?\w*\(/.test(code)
    const type = isCall ? code : code.slice(code.search(/[:=]/) + 1).trim()
    const optional = /^[\w ]*\?:/.test(code) ? ' · optional' : ''
    const label = isCall ? `${name === 'constructor' ? 'new' : name}()` : name
    return `<div>
<dt><code>${escaped(label)}</code> <span>${isCall ? '' : `${linked(type.replace(/ \| undefined$/, ''), names)}${optional}`}</span></dt>
<dd>${isCall ? `<p class="call"><code>${linked(oneLine(type), names)}</code></p>` : ''}
${description === '' ? '' : prose(description)}
${example === null ? '' : codeBlock(example, 'typescript')}</dd>
</div>`
  })
  return `<dl class="fields">${rows.join('\n')}</dl>`
}

function oneLine(code: string): string {
  return code.replace(/\s*\n\s*/g, ' ').replace(/, \)/g, ')')
}

/** Code in which the names of other exports are links. */
function linked(code: string, names: Set<string>): string {
  return escaped(code).replace(/\b[A-Z]\w+\b/g, (word) =>
    names.has(word) ? `<a href="#${word}">${word}</a>` : word,
  )
}
