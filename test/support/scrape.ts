import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'

type Sample = { name: string; labels: Record<string, string>; value: number }

/** The samples of GET /metrics. A line that is not in the Prometheus text format is an error. */
export async function scrape(operatorUrl: string): Promise<Sample[]> {
  return samplesOf(await ask(operatorUrl))
}

/** Repeats it as Prometheus does: on a busy machine, the supervisor of workers may be late, and the scrape is then 503. */
export async function scrapeUntilAnswered(operatorUrl: string): Promise<Sample[]> {
  let response = await ask(operatorUrl)
  await eventually('a scrape is answered', async () => {
    if (response.status !== 503) return true
    await response.text()
    response = await ask(operatorUrl)
    return false
  })
  return samplesOf(response)
}

// The connection is not kept open: with several workers, the next scrape may reach another one.
function ask(operatorUrl: string): Promise<Response> {
  return fetch(`${operatorUrl}/metrics`, { headers: { connection: 'close' } })
}

async function samplesOf(response: Response): Promise<Sample[]> {
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(sampleOf)
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = /^([a-z_]+)(?:{(.*)})? (\S+)$/.exec(line) ?? []
  assert.ok(name !== undefined && !Number.isNaN(Number(value)), line)
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

/** The sum of the samples with this name and these labels. */
export function sumOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
