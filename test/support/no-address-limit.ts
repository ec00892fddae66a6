import { addressList } from '../../src/access/address-list.ts'
import { createAddressLimit } from '../../src/wire/address-limit.ts'
import { limits } from '../../src/wire/limits.ts'

/** For tests of something else. */
export const noAddressLimit = createAddressLimit(limits.connectionsMax, addressList([]))
