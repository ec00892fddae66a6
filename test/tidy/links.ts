import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Files } from './project-files.ts'

/** Links of the docs to a file or a heading that does not exist. */
export function brokenLinks(files: Files): string[] {
  return pages(files).flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([^)#: ]*)(?:#([^)]+))?\)/g)]
      .map(([, file, heading]) => ({
        target: file === '' ? path : join(dirname(path), file!),
        heading,
      }))
      .filter(({ target, heading }) => !leadsSomewhere(files, target, heading))
      .map(({ target, heading }) => `${path} → ${target}${heading === undefined ? '' : `#${heading}`}`),
  )
}

function leadsSomewhere(files: Files, target: string, heading: string | undefined): boolean {
  const text = files.get(target)
  if (text === undefined) return existsSync(target)
  return heading === undefined || !target.endsWith('.md') || headings(text).includes(heading)
}

function pages(files: Files): [path: string, text: string][] {
  return [...files].filter(([path]) => path.endsWith('.md')).map(([path, text]) => [path, withoutCode(text)])
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```$/gms, '')
}

/** As GitHub makes the anchors of a page. */
function headings(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )
}
