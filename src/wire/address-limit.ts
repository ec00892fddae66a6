import { isIPv6 } from 'node:net'
import type { AddressList } from '../access/address-list.ts'

/** Limits the open connections per client address. */
export type AddressLimit = {
  /** Null if the address is at its limit. Call `leave` once, when the connection closes. */
  enter(address: string | undefined): { leave(): void } | null
}

const loopback = /^(?:127\.|::1$)/
const notCounted = { leave() {} }

/**
 * Loopback and trusted proxies are not counted: all clients of a proxy share its address. IPv6 clients are counted by
 * their /64 network, because a client usually controls all addresses of its network.
 */
export function createAddressLimit(max: number, trusted: AddressList): AddressLimit {
  const openOf = new Map<string, number>()
  return {
    enter(address) {
      const plain = plainAddress(address ?? '')
      if (plain === '' || loopback.test(plain) || trusted.has(plain)) return notCounted
      const network = networkOf(plain)
      const open = openOf.get(network) ?? 0
      if (open >= max) return null
      openOf.set(network, open + 1)
      return {
        leave() {
          const left = openOf.get(network)! - 1
          if (left === 0) openOf.delete(network)
          else openOf.set(network, left)
        },
      }
    },
  }
}

/** A listener on `::` reports IPv4 clients as ::ffff:192.0.2.1. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[0-9.]+$)/i, '').replace(/%.*$/, '')
}

/** Whoever has an IPv6 address has its whole /64 network. */
export function networkOf(plain: string): string {
  return isIPv6(plain) ? firstHalf(plain) : plain
}

/** 2001:db8::7 → 2001:db8:0:0. The operating system writes each address in one canonical form. */
function firstHalf(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':')
}
