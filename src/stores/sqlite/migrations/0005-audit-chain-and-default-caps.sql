-- The caps that hold where none is set: one row, so that every process decides by the same. While set_at is NULL nobody
-- has set them yet: the first server writes down those that it was started with.
CREATE TABLE default_caps (
  only_row        INTEGER PRIMARY KEY CHECK (only_row = 1),
  per_tx          INTEGER NOT NULL CHECK (per_tx >= 0),
  per_partner_day INTEGER NOT NULL CHECK (per_partner_day >= 0),
  per_user_day    INTEGER NOT NULL CHECK (per_user_day >= 0),
  set_at          INTEGER
) STRICT;

INSERT INTO default_caps VALUES (1, 10000, 1000000, 20000, NULL);

-- The audit trail as a chain, numbered from 1 without a gap. chain-audit.ts brings the old rows over and then drops
-- their table: SQLite has no SHA-256.
ALTER TABLE audit RENAME TO audit_before_chain;

CREATE TABLE audit (
  audit_seq     INTEGER PRIMARY KEY CHECK (audit_seq >= 1),
  at            INTEGER NOT NULL,
  actor         TEXT NOT NULL,
  action        TEXT NOT NULL,
  subject       TEXT NOT NULL,
  before        TEXT,
  after         TEXT NOT NULL,
  reason        TEXT,
  origin        TEXT NOT NULL,
  address       TEXT,
  previous_hash BLOB NOT NULL,
  hash          BLOB NOT NULL
) STRICT;

CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

-- Where the chain ends: rows cut off at its end are missed.
CREATE TABLE audit_head (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  seq      INTEGER NOT NULL CHECK (seq >= 0),
  hash     BLOB NOT NULL
) STRICT;

INSERT INTO audit_head VALUES (1, 0, zeroblob(32));
