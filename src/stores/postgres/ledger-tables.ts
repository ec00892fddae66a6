/** The tables by which a schema with a ledger is told from one of another program. */
export const ledgerTables = ['migrations', 'accounts', 'entries', 'user_days', 'audit'] as const
