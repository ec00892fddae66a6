import { BlockList, isIP } from 'node:net'

/** A set of addresses and networks. */
export type AddressList = { has(address: string): boolean }

/** Reads `192.0.2.7, 10.0.0.0/8, 2001:db8::/32`. Null: one of them is neither an address nor a network. */
export function parseAddressList(text: string): string[] | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.every((part) => networkOf(part) !== null) ? parts : null
}

/** From parts that were parsed before. */
export function addressList(parts: readonly string[]): AddressList {
  const list = new BlockList()
  for (const part of parts) {
    const { address, prefix, family } = networkOf(part)!
    list.addSubnet(address, prefix, family)
  }
  return {
    has(address) {
      const family = familyOf(address)
      return family !== null && list.check(address, family)
    },
  }
}

type Family = 'ipv4' | 'ipv6'

function networkOf(part: string): { address: string; prefix: number; family: Family } | null {
  const [address = '', prefix, ...more] = part.split('/')
  const family = familyOf(address)
  const bits = family === 'ipv4' ? 32 : 128
  if (family === null || more.length > 0) return null
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) return null
  return { address, prefix: Number(prefix ?? bits), family }
}

function familyOf(address: string): Family | null {
  const version = isIP(address)
  if (version === 0) return null
  return version === 4 ? 'ipv4' : 'ipv6'
}
