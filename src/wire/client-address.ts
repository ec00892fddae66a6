import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { AddressList } from '../access/address-list.ts'
import { plainAddress } from './address-limit.ts'

/** The address a request came from, for the log. */
type ClientAddress = (request: IncomingMessage) => string | undefined

type Peer = { address: string | undefined; isProxy: boolean }

/**
 * X-Forwarded-For is read only if the peer is a trusted proxy: anybody else could write any address into it. Each proxy
 * appends the address it saw, so the last one that is not a proxy itself is the client's.
 */
export function createClientAddress(proxies: AddressList): ClientAddress {
  // Once per connection: all its requests come from the same peer.
  const peers = new WeakMap<Socket, Peer>()

  function peerOf(socket: Socket): Peer {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const address = plainAddress(socket.remoteAddress ?? '') || undefined
    const peer = { address, isProxy: address !== undefined && proxies.has(address) }
    peers.set(socket, peer)
    return peer
  }

  return ({ socket, headers }) => {
    const { address, isProxy } = peerOf(socket)
    return isProxy ? (forwardedFor(headers['x-forwarded-for'], proxies) ?? address) : address
  }
}

/** The last proxies are enough. To take 16 KB of commas or addresses apart would keep everyone else waiting. */
const forwardedLengthMax = 1_000

/** Undefined: the header is missing, or what a proxy appended is not an address. */
function forwardedFor(header: string | string[] | undefined, proxies: AddressList): string | undefined {
  const hops = [header ?? []].flat().join(',').slice(-forwardedLengthMax).split(',')
  for (const hop of hops.toReversed()) {
    const address = plainAddress(hop.trim())
    if (isIP(address) === 0) return undefined
    if (!proxies.has(address)) return address
  }
  return undefined
}
