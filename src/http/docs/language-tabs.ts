import { readFileSync } from 'node:fs'
import { codeBlock } from './code-block.ts'
import { type ExampleProgram, examplePath, examplePrograms } from './example-programs.ts'

const notes: Record<string, string> = {
  'award.ts': ' (Node 22.18 or later; on Node 20, <code>npx tsx award.ts</code>)',
}

export function codeOf({ file }: ExampleProgram): string {
  return readFileSync(new URL(`../../../examples/${file}`, import.meta.url), 'utf8')
}

/** The whole programs, each with how to run it. */
export function programTabs(): string {
  return tabs('program', (program) => {
    const { language, file, run } = program
    return `${codeBlock(codeOf(program).trimEnd(), language, 'program')}
<p class="tab-foot">Save it as <a href="${examplePath(program)}" download>${file}</a> and run <code>${run}</code>${notes[file] ?? ''}</p>`
  })
}

/** The function that signs, alone. */
export function signTabs(): string {
  return tabs('sign', (program) => codeBlock(signFunction(codeOf(program)), program.language, 'sign'))
}

/** Radio buttons, so that they work with the keyboard and without scripts. site/tabs.ts remembers the choice. */
function tabs(group: string, content: (program: ExampleProgram) => string): string {
  const choices = examplePrograms.map(
    ({ id, name }, index) =>
      `<label><input type="radio" name="language-of-${group}" value="${id}"${index === 0 ? ' checked' : ''}>${name}</label>`,
  )
  const panels = examplePrograms.map(
    (program) => `<div class="tab-panel" data-tab="${program.id}">${content(program)}</div>`,
  )
  return `<fieldset class="tabs">
<legend>Language</legend>
<div class="tab-list">${choices.join('')}</div>
${panels.join('\n')}
</fieldset>`
}

/** From the line that says "HMAC-SHA-256 of" to the next empty line, without the indentation. */
function signFunction(code: string): string {
  const lines = code.split('\n')
  const says = lines.findIndex((line) => line.includes('HMAC-SHA-256 of'))
  const isBelowName = lines[says]!.trim().startsWith('"""') // Python documents a function in its first line
  const end = lines.findIndex((line, index) => index > says && line === '')
  const found = lines.slice(isBelowName ? says - 1 : says, end)
  const indent = /^\s*/.exec(found[0]!)![0].length
  return found.map((line) => line.slice(indent)).join('\n')
}
