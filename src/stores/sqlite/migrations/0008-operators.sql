-- Who may use the operator's API and console. These are settings: each change has its audit row. Sessions are in the
-- operator's file.
CREATE TABLE operators (
  operator_id   TEXT PRIMARY KEY,
  role          TEXT NOT NULL CHECK (role IN ('viewer', 'support', 'admin')),
  status        TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
  password_hash TEXT,
  oidc_subject  TEXT UNIQUE,
  sessions_from INTEGER NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Scopes are names of permissions, separated by spaces.
CREATE TABLE operator_tokens (
  token_id    TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  token_hash  TEXT NOT NULL UNIQUE,
  scopes      TEXT NOT NULL,
  operator_id TEXT REFERENCES operators (operator_id),
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  revoked_at  INTEGER
) STRICT, WITHOUT ROWID;
