-- The ledger. Times are milliseconds since the epoch, days are Vietnam days since the epoch, points are whole EP.
-- Plain portable SQL, so that the same tables can be distributed: accounts and entries by partner_id, user_days by
-- tenant_id, everything else as reference tables. Hence no foreign keys between these groups, and every unique key
-- contains its table's distribution column. Texts compare by their bytes ("C"), as they do in the embedded store.

CREATE TABLE partners (
  partner_id          text COLLATE "C" PRIMARY KEY,
  name                text NOT NULL,
  status              text NOT NULL CHECK (status IN ('active', 'suspended')),
  per_tx              bigint CHECK (per_tx >= 0),
  per_partner_day     bigint CHECK (per_partner_day >= 0),
  requests_per_second bigint CHECK (requests_per_second >= 1),
  created_at          bigint NOT NULL
);

CREATE TABLE tenants (
  tenant_id    text COLLATE "C" PRIMARY KEY,
  per_user_day bigint CHECK (per_user_day >= 0),
  created_at   bigint NOT NULL
);

-- The allowedTenants of a partner; caps that are set here override the partner's.
CREATE TABLE grants (
  partner_id      text COLLATE "C" NOT NULL REFERENCES partners,
  tenant_id       text COLLATE "C" NOT NULL REFERENCES tenants,
  per_tx          bigint CHECK (per_tx >= 0),
  per_partner_day bigint CHECK (per_partner_day >= 0),
  PRIMARY KEY (partner_id, tenant_id)
);

CREATE TABLE keys (
  key_id        text COLLATE "C" PRIMARY KEY,
  partner_id    text COLLATE "C" NOT NULL REFERENCES partners,
  api_key_hash  text COLLATE "C" NOT NULL UNIQUE,
  sealed_secret bytea NOT NULL,
  created_at    bigint NOT NULL,
  expires_at    bigint,
  revoked_at    bigint
);

CREATE INDEX keys_by_partner ON keys (partner_id);

-- One row for each change an operator makes, written with the change. Numbered by the settings' version, for which the
-- changes take turns: in the order of their commits, without a sequence.
CREATE TABLE audit (
  audit_id bigint PRIMARY KEY,
  at       bigint NOT NULL,
  actor    text NOT NULL,
  action   text NOT NULL,
  subject  text NOT NULL,
  before   text,
  after    text NOT NULL
);

-- Raised by every change of partners, tenants, grants or keys: how running servers notice.
CREATE TABLE settings_version (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  version  bigint NOT NULL
);

INSERT INTO settings_version VALUES (1, 0);

-- Values written once and for ever, such as the proof of the master key.
CREATE TABLE keepsakes (
  name  text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);

-- An account is a chain of entries; this row is its head and its counter of the day.
CREATE TABLE accounts (
  partner_id text COLLATE "C" NOT NULL,
  tenant_id  text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL,
  head_hash  bytea NOT NULL,
  awarded_at bigint NOT NULL,
  day        bigint NOT NULL,
  day_points bigint NOT NULL CHECK (day_points >= 0),
  PRIMARY KEY (partner_id, tenant_id)
) WITH (fillfactor = 50);

CREATE TABLE entries (
  partner_id        text COLLATE "C" NOT NULL,
  tenant_id         text COLLATE "C" NOT NULL,
  seq               bigint NOT NULL CHECK (seq >= 1),
  ep_transaction_id uuid NOT NULL,
  order_id          text COLLATE "C" NOT NULL,
  user_email        text COLLATE "C" NOT NULL,
  salt              bytea,
  commitment        bytea,
  raw_amount        bigint NOT NULL,
  amount_per_ep     bigint NOT NULL,
  points            bigint NOT NULL CHECK (points >= 1),
  note              text,
  meta              text,
  awarded_at        bigint NOT NULL,
  per_tx            bigint NOT NULL,
  per_partner_day   bigint NOT NULL,
  per_user_day      bigint NOT NULL,
  partner_day_total bigint NOT NULL,
  user_day_total    bigint NOT NULL,
  hash              bytea NOT NULL,
  PRIMARY KEY (partner_id, tenant_id, seq),
  CONSTRAINT entries_by_order UNIQUE (partner_id, order_id),
  CHECK (salt IS NOT NULL OR commitment IS NOT NULL)
);

CREATE INDEX entries_by_id ON entries (ep_transaction_id);
CREATE INDEX entries_by_user ON entries (tenant_id, user_email, awarded_at);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries are append-only';
END $$;

CREATE TRIGGER entries_are_never_changed BEFORE UPDATE OR DELETE ON entries
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER entries_are_never_emptied BEFORE TRUNCATE ON entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE user_days (
  tenant_id  text COLLATE "C" NOT NULL,
  user_email text COLLATE "C" NOT NULL,
  day        bigint NOT NULL,
  points     bigint NOT NULL CHECK (points >= 0),
  PRIMARY KEY (tenant_id, user_email, day)
) WITH (fillfactor = 70);
