import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiProblem, type Api } from './api-client.ts'
import { useConsole } from './context.ts'

/** Something that is loaded from the API, and how far that is. Data loaded earlier stays when loading again fails. */
export type Loaded<T> = {
  data: T | null
  /** When `data` arrived. */
  at: number | null
  problem: ApiProblem | null
  /** How long it has taken: nothing is shown at first, then placeholders, then an offer to cancel. */
  waiting: 'not' | 'shortly' | 'a while' | 'long'
  reload(): void
  cancel(): void
}

type Options = {
  /** Loads again in the background, this often. */
  everyMs?: number | null
}

const placeholderMs = 300
const longMs = 5_000

/** Loads from a path of the API; again whenever the path changes. Null: there is nothing to load. */
export function useGet<T>(path: string | null, options: Options = {}): Loaded<T> {
  return useLoaded<T>(path, (api, signal) => api.get<T>(path!, signal), options)
}

/** Loads by a function; again whenever `key` changes. Null: there is nothing to load. */
export function useLoaded<T>(
  key: string | null,
  load: (api: Api, signal: AbortSignal) => Promise<T>,
  { everyMs = null }: Options = {},
): Loaded<T> {
  const { api } = useConsole()
  const [state, setState] = useState<State<T>>(() => ({ ...empty, key }))
  const [round, setRound] = useState(0)
  const running = useRef<AbortController | null>(null)
  // Of another key nothing is shown.
  const current: State<T> = state.key === key ? state : { ...empty, key, waiting: 'shortly' }

  useEffect(() => {
    if (key === null) return
    const abort = new AbortController()
    running.current = abort
    const set = (change: (before: State<T>) => State<T>) => {
      if (!abort.signal.aborted) setState((before) => change(before.key === key ? before : { ...empty, key }))
    }
    set((before) => ({ ...before, waiting: before.data === null ? 'shortly' : 'not' }))
    const wait = (waiting: 'a while' | 'long', ms: number) =>
      setTimeout(() => set((before) => (before.waiting === 'not' ? before : { ...before, waiting })), ms)
    const timers = [wait('a while', placeholderMs), wait('long', longMs)]
    load(api, abort.signal)
      .then(
        (data) => set(() => ({ key, data, at: api.now(), problem: null, waiting: 'not' })),
        (error: unknown) => set((before) => ({ ...before, problem: problemOf(error), waiting: 'not' })),
      )
      .finally(() => {
        for (const timer of timers) clearTimeout(timer)
        if (everyMs !== null && !abort.signal.aborted)
          timers.push(
            setTimeout(() => whenVisible(() => setRound((before) => before + 1), abort.signal), everyMs),
          )
      })
    return () => {
      abort.abort()
      for (const timer of timers) clearTimeout(timer)
    }
  }, [key, round, everyMs])

  return {
    ...current,
    reload: () => setRound((before) => before + 1),
    cancel() {
      running.current?.abort()
      setState({ ...current, problem: cancelled, waiting: 'not' })
    },
  }
}

/** A page that nobody looks at asks for nothing, so that its session can end. */
function whenVisible(work: () => void, signal: AbortSignal): void {
  if (document.visibilityState === 'visible') work()
  else document.addEventListener('visibilitychange', () => whenVisible(work, signal), { once: true, signal })
}

type State<T> = Pick<Loaded<T>, 'data' | 'at' | 'problem' | 'waiting'> & { key: string | null }

const empty = { data: null, at: null, problem: null, waiting: 'not' as const }

const cancelled = new ApiProblem({
  status: 0,
  code: 'CANCELLED',
  detail: 'Loading was cancelled.',
  requestId: null,
  retryAfterSeconds: null,
})

/** A mistake in the page itself is shown like a failed request, not as an empty panel. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new ApiProblem({ status: 0, code: 'CONSOLE', detail, requestId: null, retryAfterSeconds: null })
}
