-- Each award of an account of its own looked for its row in two trees, first by its key and then by its place.
CREATE TABLE accounts_by_key (
  partner_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  head_hash  BLOB NOT NULL,
  awarded_at INTEGER NOT NULL,
  day        INTEGER NOT NULL,
  day_points INTEGER NOT NULL CHECK (day_points >= 0),
  PRIMARY KEY (partner_id, tenant_id)
) STRICT, WITHOUT ROWID;

INSERT INTO accounts_by_key SELECT * FROM accounts;
DROP TABLE accounts;
ALTER TABLE accounts_by_key RENAME TO accounts;
