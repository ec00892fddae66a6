import type { NotProved } from '../../../access/not-proved.ts'

const sentences: Record<NotProved['code'], string> = {
  'provider-failed':
    'The identity provider did not confirm who you are. Try again, or sign in with a password.',
  'not-started-here': 'The sign-in was not started in this browser, or took too long. Start it again.',
  'no-name': 'The identity provider did not say which account is yours. Ask an administrator.',
  'no-account':
    'You have no account here. Ask an administrator to create one with the name that the provider knows.',
  'other-person':
    'The account with your name belongs to somebody else at the identity provider. Ask an administrator.',
  'account-disabled': 'Your account is disabled. Ask an administrator.',
}

/** Why the identity provider's word was not enough. A link can claim any code: one that we do not know is not repeated. */
export function oidcProblem(code: string): string {
  return Object.hasOwn(sentences, code)
    ? sentences[code as NotProved['code']]
    : 'Sign-in with the identity provider failed. Try again.'
}
