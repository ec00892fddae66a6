-- Requests for an order that was credited before, by order, key and process. Where some were left out, one row of the
-- partner without fingerprint and key says so.
CREATE TABLE journal_replays (
  order_fingerprint TEXT NOT NULL,
  partner_id        TEXT NOT NULL,
  key_id            TEXT NOT NULL,
  node              TEXT NOT NULL,
  replays           INTEGER NOT NULL,
  first_at          INTEGER NOT NULL,
  last_at           INTEGER NOT NULL,
  PRIMARY KEY (order_fingerprint, partner_id, key_id, node)
) STRICT, WITHOUT ROWID;

CREATE INDEX journal_replays_by_time ON journal_replays (last_at);

-- Since when replays are recorded with this key; null while they are not.
ALTER TABLE journal_key ADD COLUMN replays_since INTEGER;
