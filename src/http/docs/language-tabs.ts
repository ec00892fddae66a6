import { readFileSync } from 'node:fs'
import { codeBlock } from './code-block.ts'

/** The programs in examples/, in the order of the tabs. A test runs each. */
export const examplePrograms = [
  { id: 'curl', language: 'sh', name: 'curl', file: 'award.sh', run: 'bash award.sh' },
  { id: 'typescript', language: 'typescript', name: 'TypeScript', file: 'award.ts', run: 'node award.ts' },
  { id: 'python', language: 'python', name: 'Python', file: 'award.py', run: 'python3 award.py' },
  { id: 'php', language: 'php', name: 'PHP', file: 'award.php', run: 'php award.php' },
  { id: 'go', language: 'go', name: 'Go', file: 'award.go', run: 'go run award.go' },
  { id: 'java', language: 'java', name: 'Java', file: 'Award.java', run: 'java Award.java' },
  { id: 'ruby', language: 'ruby', name: 'Ruby', file: 'award.rb', run: 'ruby award.rb' },
  { id: 'csharp', language: 'csharp', name: 'C#', file: 'Award.cs', run: 'dotnet run Award.cs' },
].map((program) => ({
  ...program,
  code: readFileSync(new URL(`../../../examples/${program.file}`, import.meta.url), 'utf8'),
}))

const notes: Record<string, string> = {
  'award.ts': ' (Node 22.18 or later; on Node 20, <code>npx tsx award.ts</code>)',
}

type Program = (typeof examplePrograms)[number]

/** The whole programs, each with how to run it. */
export function programTabs(): string {
  return tabs('program', ({ code, language, file, run }) => {
    return `${codeBlock(code.trimEnd(), language, 'program')}
<p class="tab-foot">Save it as <a href="/docs/examples/${file}" download>${file}</a> and run <code>${run}</code>${notes[file] ?? ''}</p>`
  })
}

/** The function that signs, alone. */
export function signTabs(): string {
  return tabs('sign', ({ code, language }) => codeBlock(signFunction(code), language, 'sign'))
}

/** Radio buttons, so that they work with the keyboard and without scripts. site/tabs.ts remembers the choice. */
function tabs(group: string, content: (program: Program) => string): string {
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
