/** The chapters of the OpenAPI document. */
export const tags = {
  Figures: 'Totals, usage, series and reports.',
  Partners: 'Partners, their caps and their tenants.',
  Keys: "Partners' keys. A secret is shown once.",
  'Tenants and default caps': 'Caps per user and day, and the caps that apply where no other is set.',
  Awards: 'Finding and explaining awards.',
  Refusals: 'What was not carried out, and why.',
  Users: "Users' EP history. No address stands in a URL.",
  Records: 'The audit trail, the access log and alerts.',
  Ledger: 'Accounts and verification.',
  Session: 'Signing in and out.',
  'Operators and tokens': 'Who has access.',
} as const

export type Tag = keyof typeof tags
