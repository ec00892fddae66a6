-- The caps that hold where none is set: one row, so that every node decides by the same. While set_at is NULL nobody
-- has set them yet: the first server writes down those that it was started with.
CREATE TABLE default_caps (
  only_row        integer PRIMARY KEY CHECK (only_row = 1),
  per_tx          bigint NOT NULL CHECK (per_tx >= 0),
  per_partner_day bigint NOT NULL CHECK (per_partner_day >= 0),
  per_user_day    bigint NOT NULL CHECK (per_user_day >= 0),
  set_at          bigint
);

INSERT INTO default_caps VALUES (1, 10000, 1000000, 20000, NULL);

-- The audit trail as a chain, numbered from 1 without a gap, in the order of the commits: whoever appends holds the lock
-- of settings_version. chain-audit.ts brings the old rows over and then drops their table.
ALTER TABLE audit RENAME TO audit_before_chain;
ALTER TABLE audit_before_chain RENAME CONSTRAINT audit_pkey TO audit_before_chain_pkey;

CREATE TABLE audit (
  audit_seq     bigint PRIMARY KEY CHECK (audit_seq >= 1),
  at            bigint NOT NULL,
  actor         text NOT NULL,
  action        text NOT NULL,
  subject       text NOT NULL,
  before        text,
  after         text NOT NULL,
  reason        text,
  origin        text NOT NULL,
  address       text,
  previous_hash bytea NOT NULL,
  hash          bytea NOT NULL
);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit trail is append-only';
END $$;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER audit_is_never_emptied BEFORE TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Where the chain ends: rows cut off at its end are missed.
CREATE TABLE audit_head (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  seq      bigint NOT NULL CHECK (seq >= 0),
  hash     bytea NOT NULL
);

INSERT INTO audit_head VALUES (1, 0, decode(repeat('00', 32), 'hex'));
