import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The shell examples of a page: a ```sh block, and the ```text block behind it, which is what it prints. */
export type Example = { script: string; expected: string | null }

/** Those of these programs that this machine does not have. */
export function missingTools(...tools: string[]): string[] {
  return tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined)
}

export function examplesOf(page: string): Example[] {
  const text = readFileSync(page, 'utf8')
  const fences = page.endsWith('.html') ? fencesOfHtml(text) : [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
  return fences.flatMap(([, language, script], index) => {
    if (language !== 'sh') return []
    const [, nextLanguage, output] = fences[index + 1] ?? []
    return [{ script: script!.trim(), expected: nextLanguage === 'text' ? output! : null }]
  })
}

/** As a browser shows them. The reader has a key from the operator already. */
function fencesOfHtml(html: string): string[][] {
  const key = ['', 'sh', 'node bin/partner-credit.js partner create --id acme --name "Acme" --tenant t1']
  const blocks = [...html.matchAll(/<pre class="(\w+)">(.*?)<\/pre>/gs)].map(([, language, code]) => [
    '',
    language!,
    code!
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  ])
  return [key, ...blocks]
}
