/** The tables by which a schema with a ledger is told from one of another program. */
export const ledgerTables = ['migrations', 'accounts', 'entries', 'user_days', 'audit'] as const

/** Columns that other programs' tables of the same names hardly have. They do have tables migrations and audit. */
export const ledgerColumns = [
  ['accounts', 'head_hash'],
  ['entries', 'ep_transaction_id'],
  ['user_days', 'user_email'],
] as const
