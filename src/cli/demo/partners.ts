import type { NewPartner } from '../../partners/create-partner.ts'

type DemoPartner = NewPartner & { perPartnerDay: number }

/** t1-test is the tenant with which the forms of the partners' pages begin. */
export const demoPartners = [
  {
    partnerId: 'acme',
    name: 'Acme Books',
    tenants: ['t1'],
    sandboxTenants: ['t1-test'],
    perTx: 500,
    perPartnerDay: 2_000,
  },
  { partnerId: 'globex', name: 'Globex Air', tenants: ['t1', 't2'], perTx: null, perPartnerDay: 8_000 },
  { partnerId: 'initech', name: 'Initech Pay', tenants: ['t2'], perTx: 250, perPartnerDay: 1_200 },
] as const satisfies DemoPartner[]

export type DemoPartnerId = (typeof demoPartners)[number]['partnerId']

/** EP for one user and day in t1. */
export const perUserDay = 900

export const users = ['an', 'binh', 'chi', 'dung', 'giang', 'hoa', 'khanh', 'lan', 'minh', 'ngoc'].map(
  (name) => `${name}@example.com`,
)
