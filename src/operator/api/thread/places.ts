import { hash } from 'node:crypto'
import { networkOf, plainAddress } from '../../../wire/address-limit.ts'
import type { PassedResponse } from './messages.ts'

type PlaceLimits = { inFlightMax: number; strangersMax: number; strangersPerAddressMax: number }

type Asked = { headers: Record<string, string | string[] | undefined>; address: string | null }

/** Call it once, when the thread is done with the request; null: without a response. */
export type Leave = (response: Pick<PassedResponse, 'status' | 'isSignedIn'> | null) => void

/** More operators than a service has. The one that was away the longest is a stranger again. */
const knownMax = 1_000

/**
 * Who may occupy the API's thread. Only the thread can tell who is signed in, by a query. So a cookie or token is known from
 * its first request that was signed in until one that was not. All other requests are those of strangers: they get only
 * some of the places, and from one address a few of these.
 */
export function createPlaces({ inFlightMax, strangersMax, strangersPerAddressMax }: PlaceLimits) {
  const known = new Set<string>()
  const strangersOf = new Map<string, number>()
  let [taken, strangers] = [0, 0]

  function learn(credential: string, { status, isSignedIn }: Pick<PassedResponse, 'status' | 'isSignedIn'>) {
    if (!isSignedIn && status !== 401) return
    known.delete(credential)
    if (isSignedIn) known.add(credential)
    if (known.size > knownMax) known.delete(known.values().next().value!)
  }

  return {
    /** Null: there is no place. */
    take({ headers, address }: Asked): Leave | null {
      const sent = headers.authorization ?? headers.cookie
      const credential = sent === undefined ? null : hash('sha256', String(sent))
      const isStranger = credential === null || !known.has(credential)
      const network = networkOf(plainAddress(address ?? ''))
      const ofNetwork = strangersOf.get(network) ?? 0
      if (taken >= inFlightMax) return null
      if (isStranger && (strangers >= strangersMax || ofNetwork >= strangersPerAddressMax)) return null
      taken++
      if (isStranger) {
        strangers++
        strangersOf.set(network, ofNetwork + 1)
      }
      return (response) => {
        taken--
        if (credential !== null && response !== null) learn(credential, response)
        if (!isStranger) return
        strangers--
        const left = strangersOf.get(network)! - 1
        if (left === 0) strangersOf.delete(network)
        else strangersOf.set(network, left)
      }
    },
  }
}
