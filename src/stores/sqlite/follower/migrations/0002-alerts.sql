-- What operators were told. An alert is open until it has ended; there is one open alert of each identity.
CREATE TABLE alerts (
  identity   TEXT NOT NULL,
  kind       TEXT NOT NULL,
  partner_id TEXT NOT NULL,
  tenant_id  TEXT,
  key_id     TEXT,
  occasion   TEXT NOT NULL,
  facts      TEXT NOT NULL,
  raised_at  INTEGER NOT NULL,
  held_at    INTEGER NOT NULL,
  ended_at   INTEGER
) STRICT;

CREATE UNIQUE INDEX alerts_open ON alerts (identity) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_time ON alerts (raised_at);
