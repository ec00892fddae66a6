import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { systemClock } from '../../../clock.ts'
import { type Api, type ApiProblem, createApi } from './api-client.ts'
import { dialog } from './components/dialog.ts'
import { problemNote } from './components/states.ts'
import { ConsoleContext, useUrl } from './context.ts'
import { Frame } from './frame.ts'
import { html } from './html.ts'
import { problemOf } from './load.ts'
import { NamesLoaded } from './names.ts'
import { SignInForm, SignInPage } from './pages/sign-in.ts'
import { ResultLine, useResult } from './result-line.ts'
import type { Router } from './router.ts'
import { isSignedIn, readSession, type SignedIn, type SignedOut, signOut } from './session.ts'
import { ShownPage } from './shown-page.ts'

/**
 * Signed out, it shows the sign-in page in place of any other. Signed in, it shows the page that the URL names. If the
 * session ends meanwhile, a dialog asks to sign in again over the page, which keeps what was typed; the requests that
 * found the session ended wait for it and are then repeated.
 */
export function App({ router }: { router: Router }) {
  const [session, setSession] = useState<SignedIn | SignedOut | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [ended, setEnded] = useState<SignedOut | null>(null)
  const [why, setWhy] = useState<string | null>(null)
  const { result, tell, forget } = useResult(router)
  const csrfToken = useRef<string | null>(null)
  const waiting = useRef<(() => void)[]>([])
  const api: Api = useMemo(
    () =>
      createApi({
        csrfToken: () => csrfToken.current,
        clock: systemClock,
        signIn() {
          readSession(api).then(
            // Somebody may have signed in again in another tab.
            (next) => (isSignedIn(next) ? onSignedIn(next) : setEnded(next)),
            () => setEnded({ needsFirstAccount: false, provider: null }),
          )
          return new Promise((resolve) => waiting.current.push(resolve))
        },
        renewToken: async () => hold(await readSession(api)),
      }),
    [],
  )
  function hold(next: SignedIn | SignedOut): void {
    csrfToken.current = isSignedIn(next) ? next.csrfToken : null
    setSession(next)
    // The next person to sign in here has not made the change.
    if (!isSignedIn(next)) forget()
  }
  function onSignedIn(next: SignedIn): void {
    hold(next)
    setEnded(null)
    setWhy(null)
    for (const resolve of waiting.current.splice(0)) resolve()
  }
  const read = () => {
    setProblem(null)
    readSession(api).then(hold, (error: unknown) => setProblem(problemOf(error)))
  }
  async function renewSession(said: string | null = null): Promise<void> {
    hold(await readSession(api))
    setWhy(said)
  }
  useEffect(read, [])
  const url = useUrl(router)
  useEffect(() => {
    if (url.pathname === '/sign-in' && session !== null && isSignedIn(session))
      router.navigate('/', { replace: true })
  }, [url.pathname, session])

  if (problem !== null)
    return html`<main class="signin">
      ${problemNote({ title: 'The console could not be started.', problem, onTryAgain: read })}
    </main>`
  if (session === null) return null
  if (!isSignedIn(session)) return h(SignInPage, { api, signedOut: session, why, onSignedIn })
  const leave = () => {
    signOut(api)
      .then(() => renewSession('You are signed out.'))
      .catch((error: unknown) => setProblem(problemOf(error)))
  }
  return h(
    ConsoleContext.Provider,
    { value: { api, router, session, tell, renewSession } },
    h(
      NamesLoaded,
      { lastChange: result?.number ?? null },
      h(Frame, {
        page: h(ShownPage, {}),
        result: h(ResultLine, { result, path: url.pathname, onClose: forget }),
        onSignOut: leave,
      }),
    ),
    ended !== null &&
      dialog({
        title: 'Your session has ended',
        onClose: () => undefined,
        content: html`<p class="soft">Sign in again to go on. What you have typed is kept.</p>
          ${h(SignInForm, { api, signedOut: ended, onSignedIn })}`,
      }),
  )
}
