-- Requests for an order that was credited before, by order, key and process. Where some were left out, one row of the
-- partner without fingerprint and key says so. On Citus this is a plain table of the coordinator.
CREATE TABLE journal_replays (
  order_fingerprint text COLLATE "C" NOT NULL,
  partner_id        text COLLATE "C" NOT NULL,
  key_id            text COLLATE "C" NOT NULL,
  node              text COLLATE "C" NOT NULL,
  replays           bigint NOT NULL,
  first_at          bigint NOT NULL,
  last_at           bigint NOT NULL,
  PRIMARY KEY (order_fingerprint, partner_id, key_id, node)
) WITH (fillfactor = 70);

CREATE INDEX journal_replays_by_time ON journal_replays (last_at);

-- Since when replays are recorded with this key; null while they are not.
ALTER TABLE journal_key ADD COLUMN replays_since bigint;
