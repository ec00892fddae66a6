/** A browser sends one or two hundred characters. To take 16 KB of commas apart would keep everyone else waiting. */
const acceptLengthMax = 1_000

/**
 * Whether a client would rather have a page than JSON: browsers name text/html in Accept, programs do not. One that
 * accepts both equally gets JSON.
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > acceptLengthMax || !accept.includes('text/html')) return false
  const ranges = accept.split(',').map(rangeOf)
  const weightOf = (test: (type: string) => boolean) =>
    Math.max(0, ...ranges.filter(({ type }) => test(type)).map(({ weight }) => weight))
  const html = weightOf((type) => type === 'text/html')
  return html > 0 && html > weightOf((type) => /^application\/([\w.-]+\+)?json$/.test(type))
}

function rangeOf(text: string): { type: string; weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 }
}
