import type { CookieRules } from '../../access/cookies.ts'
import { hashOfSecret } from '../../access/secrets.ts'
import { sentSecret } from '../../access/sent-secret.ts'
import { networkOf, plainAddress } from '../../../wire/address-limit.ts'
import type { PassedResponse } from './messages.ts'

type PlaceLimits = {
  inFlightMax: number
  perOperatorMax: number
  strangersMax: number
  strangersPerAddressMax: number
}

type Asked = { headers: Record<string, string | string[] | undefined>; address: string | null }

/** Call it once, when the thread is done with the request; null: without a response. */
export type Leave = (response: Pick<PassedResponse, 'status' | 'signedInAs'> | null) => void

/** More sessions and tokens than a service has. The one that was away the longest is a stranger again. */
const knownMax = 1_000

/**
 * Who may occupy the API's thread. Only the thread can tell who is signed in, by a query. So a cookie or token is known from
 * its first request that was signed in until one that was not. All other requests are those of strangers: they get only
 * some of the places, and from one address a few of these. An operator gets a quarter of all, with all sessions and tokens
 * together: a script that asks without end keeps no other operator away.
 */
export function createPlaces(
  { inFlightMax, perOperatorMax, strangersMax, strangersPerAddressMax }: PlaceLimits,
  cookies: CookieRules,
) {
  /** Whose credential it is. */
  const known = new Map<string, string>()
  /** By operator or, of strangers, by network. */
  const takenBy = new Map<string, number>()
  let [taken, strangers] = [0, 0]

  function learn(credential: string, { status, signedInAs }: Pick<PassedResponse, 'status' | 'signedInAs'>) {
    if (signedInAs === null && status !== 401) return
    known.delete(credential)
    if (signedInAs !== null) known.set(credential, signedInAs)
    if (known.size > knownMax) known.delete(known.keys().next().value!)
  }

  return {
    /** Null: there is no place. */
    take({ headers, address }: Asked): Leave | null {
      const sent = sentSecret(headers, cookies)
      const credential = sent === null ? null : hashOfSecret(sent.secret)
      const operator = credential === null ? undefined : known.get(credential)
      const isStranger = operator === undefined
      const who = operator ?? networkOf(plainAddress(address ?? ''))
      const takenBefore = takenBy.get(who) ?? 0
      if (taken >= inFlightMax || (isStranger && strangers >= strangersMax)) return null
      if (takenBefore >= (isStranger ? strangersPerAddressMax : perOperatorMax)) return null
      taken++
      if (isStranger) strangers++
      takenBy.set(who, takenBefore + 1)
      return (response) => {
        taken--
        if (isStranger) strangers--
        const left = takenBy.get(who)! - 1
        if (left === 0) takenBy.delete(who)
        else takenBy.set(who, left)
        if (credential !== null && response !== null) learn(credential, response)
      }
    },
  }
}
