-- The last row of the ledger's audit trail that was seen. If the ledger does not have it any more, changes by operators are lost.
CREATE TABLE followed_audit (
  only_row  INTEGER PRIMARY KEY CHECK (only_row = 1),
  audit_seq INTEGER NOT NULL,
  hash      BLOB NOT NULL
) STRICT;
