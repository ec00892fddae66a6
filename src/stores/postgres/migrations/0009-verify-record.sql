-- The last result of verify, for the servers. Nothing here is part of the ledger: no award reads it, no proof covers it, no
-- export carries it. On Citus this is a plain table of the coordinator.
CREATE TABLE verify_record (
  only_row     integer PRIMARY KEY CHECK (only_row = 1),
  -- When it last found the ledger sound; null: never.
  verified_at  bigint,
  -- When it found the ledger not sound, if it has not found it sound since.
  not_sound_at bigint
);
