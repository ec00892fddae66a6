type Account = { hasPassword: boolean; hasOidc: boolean }

/** How an operator can sign in here. `provider` is the one of the sign-in page; null: it has none. */
export function waysIn({ hasPassword, hasOidc }: Account, provider: string | null): string {
  if (provider === null) return hasPassword ? 'Password' : 'Nothing: reset it to give it a password'
  if (hasOidc) return hasPassword ? `Password, ${provider}` : provider
  return hasPassword ? 'Password' : `${provider}, not linked yet`
}
