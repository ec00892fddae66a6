/**
 * The tables, and what the migrations made each of them refuse, in PostgreSQL's own notation. The proofs rely on those of the
 * first four; without one of the others, commands that change settings fail or can store what no command would.
 */
export const constraints: Record<string, string[]> = {
  accounts: ['CHECK ((day_points >= 0))', 'PRIMARY KEY (partner_id, tenant_id)'],
  entries: [
    'CHECK ((points >= 1))',
    'CHECK ((seq >= 1))',
    'CHECK (((salt IS NOT NULL) OR (commitment IS NOT NULL)))',
    'PRIMARY KEY (partner_id, tenant_id, seq)',
    'UNIQUE (partner_id, order_id)',
  ],
  user_days: ['CHECK ((points >= 0))', 'PRIMARY KEY (tenant_id, user_email, day)'],
  audit: ['CHECK ((audit_seq >= 1))', 'PRIMARY KEY (audit_seq)'],
  partners: [
    'PRIMARY KEY (partner_id)',
    "CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))",
    'CHECK ((per_tx >= 0))',
    'CHECK ((per_partner_day >= 0))',
    'CHECK ((requests_per_second >= 1))',
  ],
  tenants: [
    'PRIMARY KEY (tenant_id)',
    'CHECK ((per_user_day >= 0))',
    "CHECK ((mode = ANY (ARRAY['live'::text, 'sandbox'::text])))",
  ],
  grants: [
    'PRIMARY KEY (partner_id, tenant_id)',
    'CHECK ((per_tx >= 0))',
    'CHECK ((per_partner_day >= 0))',
    'FOREIGN KEY (partner_id) REFERENCES partners(partner_id)',
    'FOREIGN KEY (tenant_id) REFERENCES tenants(tenant_id)',
  ],
  keys: [
    'PRIMARY KEY (key_id)',
    'UNIQUE (api_key_hash)',
    'FOREIGN KEY (partner_id) REFERENCES partners(partner_id)',
  ],
  default_caps: [
    'PRIMARY KEY (only_row)',
    'CHECK ((only_row = 1))',
    'CHECK ((per_tx >= 0))',
    'CHECK ((per_partner_day >= 0))',
    'CHECK ((per_user_day >= 0))',
  ],
  audit_head: ['PRIMARY KEY (only_row)', 'CHECK ((only_row = 1))', 'CHECK ((seq >= 0))'],
  settings_version: ['PRIMARY KEY (only_row)', 'CHECK ((only_row = 1))'],
  keepsakes: ['PRIMARY KEY (name)'],
  migrations: ['PRIMARY KEY (name)'],
  operators: [
    'PRIMARY KEY (operator_id)',
    'UNIQUE (oidc_subject)',
    "CHECK ((role = ANY (ARRAY['viewer'::text, 'support'::text, 'admin'::text])))",
    "CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))",
  ],
  operator_tokens: [
    'PRIMARY KEY (token_id)',
    'UNIQUE (token_hash)',
    'FOREIGN KEY (operator_id) REFERENCES operators(operator_id)',
  ],
}

/** The same of the tables that refer to one: a row that they refer to cannot go. */
export const references: Record<string, string[]> = {
  partners: [
    'grants FOREIGN KEY (partner_id) REFERENCES partners(partner_id)',
    'keys FOREIGN KEY (partner_id) REFERENCES partners(partner_id)',
  ],
  tenants: ['grants FOREIGN KEY (tenant_id) REFERENCES tenants(tenant_id)'],
  operators: ['operator_tokens FOREIGN KEY (operator_id) REFERENCES operators(operator_id)'],
}
