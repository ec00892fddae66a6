-- Who is signed in. If the file is deleted, everybody signs in again. The accounts are in the ledger.
CREATE TABLE operator_sessions (
  session_id  TEXT PRIMARY KEY,
  operator_id TEXT NOT NULL,
  method      TEXT NOT NULL,
  address     TEXT NOT NULL,
  user_agent  TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  used_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id, created_at);

-- The last sign-in of each operator, and the last use of each token.
CREATE TABLE operator_last_uses (
  subject TEXT PRIMARY KEY,
  at      INTEGER NOT NULL,
  address TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Failed sign-ins. A subject stands for many accounts or addresses, so that strangers cannot make it grow without a limit.
CREATE TABLE operator_failures (
  subject  TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Reads of personal data, what was denied, and sign-ins. The oldest rows are deleted.
CREATE TABLE access_log (
  access_id  INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  actor      TEXT NOT NULL,
  address    TEXT NOT NULL,
  action     TEXT NOT NULL,
  subject    TEXT,
  request_id TEXT NOT NULL
) STRICT;

CREATE INDEX access_log_by_kind ON access_log (kind, access_id);
CREATE INDEX access_log_by_time ON access_log (at);
