-- The ledger. Times are milliseconds since the epoch, days are Vietnam days since the epoch, points are whole EP.

CREATE TABLE partners (
  partner_id          TEXT PRIMARY KEY,
  name                TEXT NOT NULL,
  status              TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  per_tx              INTEGER CHECK (per_tx >= 0),
  per_partner_day     INTEGER CHECK (per_partner_day >= 0),
  requests_per_second INTEGER CHECK (requests_per_second >= 1),
  created_at          INTEGER NOT NULL
) STRICT;

CREATE TABLE tenants (
  tenant_id    TEXT PRIMARY KEY,
  per_user_day INTEGER CHECK (per_user_day >= 0),
  created_at   INTEGER NOT NULL
) STRICT;

-- The allowedTenants of a partner; caps that are set here override the partner's.
CREATE TABLE grants (
  partner_id      TEXT NOT NULL REFERENCES partners,
  tenant_id       TEXT NOT NULL REFERENCES tenants,
  per_tx          INTEGER CHECK (per_tx >= 0),
  per_partner_day INTEGER CHECK (per_partner_day >= 0),
  PRIMARY KEY (partner_id, tenant_id)
) STRICT;

CREATE TABLE keys (
  key_id        TEXT PRIMARY KEY,
  partner_id    TEXT NOT NULL REFERENCES partners,
  api_key_hash  TEXT NOT NULL UNIQUE,
  sealed_secret BLOB NOT NULL,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER,
  revoked_at    INTEGER
) STRICT;

CREATE INDEX keys_by_partner ON keys (partner_id);

-- One row for each change an operator makes, written with the change.
CREATE TABLE audit (
  audit_id  INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  action    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  before    TEXT,
  after     TEXT NOT NULL
) STRICT;

-- Raised by every change of partners, tenants, grants or keys: how a running server notices.
CREATE TABLE settings_version (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  version  INTEGER NOT NULL
) STRICT;

INSERT INTO settings_version VALUES (1, 0);

-- Rewritten when the disk is in doubt: as many pages as a batch needs, so that a disk that takes this takes an award.
CREATE TABLE probe (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  ballast  BLOB NOT NULL
) STRICT;

-- Values written once and for ever, such as the proof of the master key.
CREATE TABLE keepsakes (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- An account is a chain of entries; this row is its head and its counter of the day.
CREATE TABLE accounts (
  partner_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  head_hash  BLOB NOT NULL,
  awarded_at INTEGER NOT NULL,
  day        INTEGER NOT NULL,
  day_points INTEGER NOT NULL CHECK (day_points >= 0),
  PRIMARY KEY (partner_id, tenant_id)
) STRICT;

CREATE TABLE entries (
  partner_id        TEXT NOT NULL,
  tenant_id         TEXT NOT NULL,
  seq               INTEGER NOT NULL CHECK (seq >= 1),
  ep_transaction_id TEXT NOT NULL,
  order_id          TEXT NOT NULL,
  user_email        TEXT NOT NULL,
  salt              BLOB,
  commitment        BLOB,
  raw_amount        INTEGER NOT NULL,
  amount_per_ep     INTEGER NOT NULL,
  points            INTEGER NOT NULL CHECK (points >= 1),
  note              TEXT,
  meta              TEXT,
  awarded_at        INTEGER NOT NULL,
  per_tx            INTEGER NOT NULL,
  per_partner_day   INTEGER NOT NULL,
  per_user_day      INTEGER NOT NULL,
  partner_day_total INTEGER NOT NULL,
  user_day_total    INTEGER NOT NULL,
  hash              BLOB NOT NULL,
  PRIMARY KEY (partner_id, tenant_id, seq),
  UNIQUE (partner_id, order_id),
  CHECK (salt IS NOT NULL OR commitment IS NOT NULL)
) STRICT;

CREATE UNIQUE INDEX entries_by_id ON entries (ep_transaction_id);
CREATE INDEX entries_by_user ON entries (tenant_id, user_email, awarded_at);

CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
BEGIN
  SELECT RAISE(ABORT, 'entries are append-only');
END;

CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
BEGIN
  SELECT RAISE(ABORT, 'entries are append-only');
END;

CREATE TABLE user_days (
  tenant_id  TEXT NOT NULL,
  user_email TEXT NOT NULL,
  day        INTEGER NOT NULL,
  points     INTEGER NOT NULL CHECK (points >= 0),
  PRIMARY KEY (tenant_id, user_email, day)
) STRICT, WITHOUT ROWID;
