-- What the service saw. Nothing here is part of the ledger: no award reads it, no proof covers it, no export carries it.
-- On Citus these are plain tables of the coordinator.

-- Responses by minute, hour and day; each response is in all three. A day begins at midnight in Vietnam.
CREATE TABLE journal_counts (
  span       text COLLATE "C" NOT NULL CHECK (span IN ('minute', 'hour', 'day')),
  start      bigint NOT NULL,
  partner_id text COLLATE "C" NOT NULL,
  tenant_id  text COLLATE "C" NOT NULL,
  endpoint   text COLLATE "C" NOT NULL,
  code       text COLLATE "C" NOT NULL,
  detail     text COLLATE "C" NOT NULL,
  node       text COLLATE "C" NOT NULL,
  responses  bigint NOT NULL,
  points     bigint NOT NULL,
  PRIMARY KEY (span, start, partner_id, tenant_id, endpoint, code, detail, node)
) WITH (fillfactor = 70);

CREATE TABLE journal_refusals (
  at                bigint NOT NULL,
  node              text COLLATE "C" NOT NULL,
  partner_id        text COLLATE "C" NOT NULL,
  key_id            text COLLATE "C",
  tenant_id         text COLLATE "C" NOT NULL,
  endpoint          text COLLATE "C" NOT NULL,
  code              text COLLATE "C" NOT NULL,
  cap               text COLLATE "C",
  cap_limit         bigint,
  requested         bigint,
  used              bigint,
  request_id        text COLLATE "C" NOT NULL,
  order_fingerprint text COLLATE "C"
);

CREATE INDEX journal_refusals_by_time ON journal_refusals (at);
CREATE INDEX journal_refusals_by_partner ON journal_refusals (partner_id, at);
CREATE INDEX journal_refusals_by_request ON journal_refusals (request_id);
CREATE INDEX journal_refusals_by_order ON journal_refusals (order_fingerprint) WHERE order_fingerprint IS NOT NULL;

CREATE TABLE journal_key_uses (
  key_id              text COLLATE "C" NOT NULL,
  node                text COLLATE "C" NOT NULL,
  partner_id          text COLLATE "C" NOT NULL,
  at                  bigint NOT NULL,
  clock_difference_ms bigint NOT NULL,
  PRIMARY KEY (key_id, node)
) WITH (fillfactor = 70);

-- The last batch of each process: one that is sent again, because its outcome was unknown, is not written twice.
CREATE TABLE journal_nodes (
  node         text COLLATE "C" PRIMARY KEY,
  batch_number bigint NOT NULL,
  at           bigint NOT NULL
) WITH (fillfactor = 70);

-- What fingerprints of orders are made with, sealed by the master key.
CREATE TABLE journal_key (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  sealed   bytea NOT NULL
);
