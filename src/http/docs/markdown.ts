import { escaped } from '../../wire/pages/escaped.ts'
import { codeBlock } from './code-block.ts'
import { code } from './reference/prose.ts'

const languages: Record<string, string> = { ts: 'typescript' }

/** The part of Markdown that our READMEs use, as HTML: headings, paragraphs, lists, tables, code and links. */
export function markdown(text: string): string {
  const parts = text.split(/^(```\w*\n.*?^```)$/gms)
  return parts.map((part) => (part.startsWith('```') ? fence(part) : blocks(part))).join('\n')
}

function fence(part: string): string {
  const [, language = '', text = ''] = /^```(\w*)\n(.*?)\n?```$/s.exec(part)!
  return codeBlock(text, languages[language] ?? language, language === 'text' ? 'text' : language || 'plain')
}

function blocks(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((block) => block.replace(/^\n+|\s+$/g, ''))
    .filter((block) => block !== '')
    .map(blockOf)
    .join('\n')
}

function blockOf(block: string): string {
  const heading = /^(#{1,3}) (.*)$/.exec(block)
  if (heading !== null) {
    const [, { length }, title] = heading as unknown as [string, string, string]
    return `<h${length} id="${slugOf(title)}">${inline(title)}</h${length}>`
  }
  if (block.startsWith('- ')) return `<ul>${listItems(block)}</ul>`
  if (block.startsWith('|')) return table(block)
  return `<p>${inline(block)}</p>`
}

/** As GitHub makes it, because the READMEs link to their own headings. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

function listItems(block: string): string {
  return block
    .split(/\n?^- /m)
    .slice(1)
    .map((item) => `<li>${inline(item.replace(/\n\s+/g, ' '))}</li>`)
    .join('')
}

function table(block: string): string {
  const rows = block.split('\n').map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|'))),
  )
  const [head = [], , ...body] = rows
  const isEmpty = head.slice(1).every((cell) => cell === '')
  const row = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag.split(' ')[0]}>`).join('')}</tr>`
  const names = isEmpty ? [head[0]!, 'Meaning'] : head
  return `<div class="scrolls"><table>
<thead>${row(names, 'th scope="col"')}</thead>
<tbody>${body.map((cells) => row(cells, 'td')).join('')}</tbody>
</table></div>`
}

/** Code first: nothing in it is markup. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? code(part.slice(1, -1)) : words(part)))
    .join('')
    .replace(/\[([^\]]+)\]\((#[\w-]+)\)/g, '<a href="$2">$1</a>')
}

function words(text: string): string {
  return escaped(text).replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
}
