import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api-client.ts'
import { useConsole } from '../context.ts'
import { html } from '../html.ts'
import { problemOf } from '../load.ts'
import { saveFile } from '../save-file.ts'

type DownloadProps = {
  /** What the API has under this path, in this media type. */
  path: string
  type: string
  /** The name of the file. */
  file: string
  label: string
  isPrimary?: boolean
}

/** Saves a response of the API as a file. */
export function downloadButton(props: DownloadProps) {
  return h(DownloadButton, props)
}

function DownloadButton({ path, type, file, label, isPrimary = false }: DownloadProps) {
  const { api } = useConsole()
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const download = () =>
    api.text(path, type).then(
      (text) => {
        setProblem(null)
        saveFile({ name: file, type, text })
      },
      (error: unknown) => setProblem(problemOf(error)),
    )
  return html`<button type="button" class=${isPrimary ? 'main' : ''} onClick=${download}>${label}</button>
    ${problem !== null && html`<span class="small wrong" role="alert"><bdi>${problem.message}</bdi></span>`}`
}
