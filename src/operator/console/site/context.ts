import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Api } from './api-client.ts'
import type { Tell } from './result-line.ts'
import type { Router } from './router.ts'
import type { SignedIn } from './session.ts'

/** What every page works with. */
type Console = {
  api: Api
  router: Router
  session: SignedIn
  tell: Tell
  /** After a change of one's own session. If it has ended, the sign-in page says why. */
  renewSession(why?: string): Promise<void>
}

export const ConsoleContext = createContext<Console | null>(null)

export function useConsole(): Console {
  return useContext(ConsoleContext)!
}

/** The URL that is shown; the component is drawn again when it changes. */
export function useUrl(router: Router): URL {
  const [url, setUrl] = useState(router.url())
  useEffect(() => router.watch(() => setUrl(router.url())), [router])
  return url
}

/** The title of the tab. Never a secret or an address. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – Partner Credit`
  }, [title])
}

/** Whether the signed-in operator may do this. */
export function useMay(permission: string): boolean {
  return useConsole().session.permissions.includes(permission)
}
