-- Who may use the operator's API and console. The first two tables are settings: each change has its audit row. On Citus
-- all of these are plain tables of the coordinator.
CREATE TABLE operators (
  operator_id   text COLLATE "C" PRIMARY KEY,
  role          text NOT NULL CHECK (role IN ('viewer', 'support', 'admin')),
  status        text NOT NULL CHECK (status IN ('active', 'disabled')),
  password_hash text,
  oidc_subject  text UNIQUE,
  sessions_from bigint NOT NULL,
  created_at    bigint NOT NULL
);

-- Scopes are names of permissions, separated by spaces.
CREATE TABLE operator_tokens (
  token_id    text COLLATE "C" PRIMARY KEY,
  name        text NOT NULL,
  token_hash  text NOT NULL UNIQUE,
  scopes      text NOT NULL,
  operator_id text COLLATE "C" REFERENCES operators (operator_id),
  created_at  bigint NOT NULL,
  expires_at  bigint NOT NULL,
  revoked_at  bigint
);

-- The tables below are no settings: no export carries them, and without their rows everybody signs in again.
CREATE TABLE operator_sessions (
  session_id  text COLLATE "C" PRIMARY KEY,
  operator_id text COLLATE "C" NOT NULL,
  method      text NOT NULL,
  address     text NOT NULL,
  user_agent  text NOT NULL,
  created_at  bigint NOT NULL,
  used_at     bigint NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id, created_at);

-- The last sign-in of each operator, and the last use of each token.
CREATE TABLE operator_last_uses (
  subject text COLLATE "C" PRIMARY KEY,
  at      bigint NOT NULL,
  address text NOT NULL
) WITH (fillfactor = 70);

-- Failed sign-ins. A subject stands for many accounts or addresses, so that strangers cannot make it grow without a limit.
CREATE TABLE operator_failures (
  subject  text COLLATE "C" PRIMARY KEY,
  failures bigint NOT NULL,
  at       bigint NOT NULL
) WITH (fillfactor = 70);

-- Reads of personal data, what was denied, and sign-ins. The oldest rows are deleted.
CREATE TABLE access_log (
  access_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         bigint NOT NULL,
  kind       text NOT NULL,
  actor      text NOT NULL,
  address    text NOT NULL,
  action     text NOT NULL,
  subject    text,
  request_id text NOT NULL
);

CREATE INDEX access_log_by_kind ON access_log (kind, access_id);
CREATE INDEX access_log_by_time ON access_log (at);
