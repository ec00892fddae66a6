import { type Bytes, joined, utf8 } from './bytes.ts'
import type { MistakeId, Variant } from './mistakes.ts'
import type { SentRequest } from './sent-request.ts'
import { otherForms, secondsOf } from './timestamp-forms.ts'

export type Framing = (payload: Bytes) => Bytes

/** Ways to combine timestamp and payload: the correct one first, then common wrong ones. */
export function framings(request: SentRequest, timestamp: string): Variant<Framing>[] {
  const method = request.endpoint === 'award' ? 'POST' : 'GET'
  const path = request.target.replace(/\?.*/s, '')
  const apiKey = request.apiKey[0] ?? ''
  const before = (mistake: MistakeId, ...starts: string[]) =>
    starts.map((start) => ({
      value: (payload: Bytes) => joined(utf8(start), payload),
      mistakes: [mistake],
    }))
  const behind = (...ends: string[]) =>
    ends.map((end) => ({
      value: (payload: Bytes) => joined(payload, utf8(end)),
      mistakes: ['order-swapped' as const],
    }))
  const separators = ['\n', ':', ',', '|', ' ', '-', '_', ';', '&', '/', '\\n', '\t', '..', '. ', ' . ']
  const targets = [...new Set([path, request.target])]
  return [
    { value: (payload) => joined(utf8(`${timestamp}.`), payload), mistakes: [] },
    ...before('dot-missing', timestamp),
    ...before('timestamp-not-signed', '', '.'),
    ...before('seconds-signed', ...secondsOf(timestamp).map((seconds) => `${seconds}.`)),
    ...before('milliseconds-signed', ...(/^\d{10}$/.test(timestamp) ? [`${timestamp}000.`] : [])),
    ...before('timestamp-signed-in-other-form', ...otherForms(timestamp).map((form) => `${form}.`)),
    ...before('placeholder-signed', ...unset.map((name) => `${name}.`)),
    ...neverReplaced.map((text) => ({ value: () => utf8(text), mistakes: ['placeholder-signed' as const] })),
    ...['-n', '-e'].map((flag) => ({
      value: (payload: Bytes) => joined(utf8(`${flag} ${timestamp}.`), payload, utf8('\n')),
      mistakes: ['changed-by-echo' as const],
    })),
    ...before('other-separator', ...separators.map((separator) => `${timestamp}${separator}`)),
    ...behind(`.${timestamp}`, timestamp),
    ...before(
      'method-or-path-signed',
      ...targets.flatMap((target) => [
        `${timestamp}.${method}.${target}.`,
        `${timestamp}.${method} ${target}.`,
        `${timestamp}.${target}.`,
        `${timestamp}${method}${target}`,
        `${method}.${target}.${timestamp}.`,
        `${method}${target}${timestamp}`,
        `${method}\n${target}\n${timestamp}\n`,
        `${timestamp}\n${method}\n${target}\n`,
      ]),
      `${timestamp}.${method}.`,
    ),
    ...before(
      'api-key-signed',
      `${apiKey}.${timestamp}.`,
      `${timestamp}.${apiKey}.`,
      `${apiKey}${timestamp}`,
    ),
  ]
}

/** Timestamps that a program signs when the time was not set. */
const unset = ['undefined', 'null', 'None', 'NaN', '$TIMESTAMP', '$timestamp']

/** Whole signing strings in which nothing was replaced. */
const neverReplaced = [
  ['$', ''],
  ['${', '}'],
  ['{', '}'],
].flatMap(([open, close]) =>
  ['TIMESTAMP', 'timestamp'].map(
    (time) => `${open}${time}${close}.${open}${time === 'timestamp' ? 'body' : 'BODY'}${close}`,
  ),
)
