import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CountRow, countPartners } from './count-partners.ts'

const row: CountRow = {
  partnerId: 'acme',
  tenantId: 't1',
  code: 'CREDITED',
  detail: '',
  recent: true,
  responses: 3,
}

test('what each partner did is added up over its tenants, without the sandbox', () => {
  const rows = [
    row,
    { ...row, tenantId: 't2', responses: 4 },
    { ...row, code: 'DUPLICATE', detail: 'within 1 s', responses: 5 },
    { ...row, code: 'DUPLICATE', detail: 'within 10 s', responses: 6 },
    { ...row, code: 'DUPLICATE', detail: 'within 1 h', responses: 100 },
    { ...row, code: 'DAILY_CAP_EXCEEDED', detail: 'perUserDay', responses: 7 },
    { ...row, code: 'DAILY_CAP_EXCEEDED', detail: 'perPartnerDay', responses: 8 },
    { ...row, code: 'INVALID_SIGNATURE', tenantId: '(unknown)', recent: false, responses: 9 },
    { ...row, code: 'PAGE', responses: 10 },
    { ...row, tenantId: 't1-test', responses: 1_000 },
    { ...row, partnerId: 'globex', responses: 1 },
    { ...row, partnerId: '(unknown)', code: 'INVALID_SIGNATURE', responses: 50 },
  ]
  const none = { credited: 0, failures: 0, wrongSignatures: 0, soonReplays: 0, perUserDay: 0 }
  assert.deepEqual(countPartners(rows, new Set(['t1-test'])), [
    {
      partnerId: 'acme',
      recent: {
        responses: 143,
        credited: 7,
        failures: 15,
        wrongSignatures: 0,
        soonReplays: 11,
        perUserDay: 7,
      },
      before: { ...none, responses: 9, failures: 9, wrongSignatures: 9 },
    },
    {
      partnerId: 'globex',
      recent: { ...none, responses: 1, credited: 1 },
      before: { ...none, responses: 0 },
    },
  ])
})
