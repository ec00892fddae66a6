-- What the service saw. Nothing here is part of the ledger: the file can be deleted, and begins again.

-- Responses by minute, hour and day; each response is in all three. A day begins at midnight in Vietnam.
CREATE TABLE journal_counts (
  span       TEXT NOT NULL CHECK (span IN ('minute', 'hour', 'day')),
  start      INTEGER NOT NULL,
  partner_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  endpoint   TEXT NOT NULL,
  code       TEXT NOT NULL,
  detail     TEXT NOT NULL,
  node       TEXT NOT NULL,
  responses  INTEGER NOT NULL,
  points     INTEGER NOT NULL,
  PRIMARY KEY (span, start, partner_id, tenant_id, endpoint, code, detail, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_refusals (
  at                INTEGER NOT NULL,
  node              TEXT NOT NULL,
  partner_id        TEXT NOT NULL,
  key_id            TEXT,
  tenant_id         TEXT NOT NULL,
  endpoint          TEXT NOT NULL,
  code              TEXT NOT NULL,
  cap               TEXT,
  cap_limit         INTEGER,
  requested         INTEGER,
  used              INTEGER,
  request_id        TEXT NOT NULL,
  order_fingerprint TEXT
) STRICT;

CREATE INDEX journal_refusals_by_time ON journal_refusals (at);
CREATE INDEX journal_refusals_by_partner ON journal_refusals (partner_id, at);
CREATE INDEX journal_refusals_by_request ON journal_refusals (request_id);
CREATE INDEX journal_refusals_by_order ON journal_refusals (order_fingerprint) WHERE order_fingerprint IS NOT NULL;

CREATE TABLE journal_key_uses (
  key_id              TEXT NOT NULL,
  node                TEXT NOT NULL,
  partner_id          TEXT NOT NULL,
  at                  INTEGER NOT NULL,
  clock_difference_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, node)
) STRICT, WITHOUT ROWID;

-- The last batch of each process.
CREATE TABLE journal_nodes (
  node         TEXT PRIMARY KEY,
  batch_number INTEGER NOT NULL,
  at           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What fingerprints of orders are made with, sealed by the master key.
CREATE TABLE journal_key (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  sealed   BLOB NOT NULL
) STRICT;
