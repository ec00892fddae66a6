-- What operators were told. Like the journal, nothing here is part of the ledger. An alert is open until it has ended; there
-- is one open alert of each identity, whichever process finds it first. On Citus this is a plain table of the coordinator.
CREATE TABLE alerts (
  identity   text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL,
  partner_id text COLLATE "C" NOT NULL,
  tenant_id  text COLLATE "C",
  key_id     text COLLATE "C",
  occasion   text COLLATE "C" NOT NULL,
  facts      text NOT NULL,
  raised_at  bigint NOT NULL,
  held_at    bigint NOT NULL,
  ended_at   bigint
);

CREATE UNIQUE INDEX alerts_open ON alerts (identity) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_time ON alerts (raised_at);
