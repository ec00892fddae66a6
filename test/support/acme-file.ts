import { createPartner } from '../../src/partners/create-partner.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'

const masterKey = Buffer.alloc(32, 7)

/** For a server process on the ledger in this file. */
export function environmentOf(path: string) {
  return { DATABASE_URL: `sqlite:${path}`, MASTER_KEY: masterKey.toString('base64') }
}

/** Makes a ledger with the partner acme (t1) in a file, and returns the partner's key. */
export async function makeAcmeFile(path: string) {
  const store = openSqlite(path)
  const key = await createPartner(
    { store: store.partners, actor: 'test', now: 0 },
    { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null },
    masterKey,
  )
  await store.close()
  return key
}
