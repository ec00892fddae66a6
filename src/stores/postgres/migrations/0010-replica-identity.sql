-- A logical replica of all tables, for reports or an upgrade, refuses every DELETE from a table that has no key: the journal would
-- not be written any more.
ALTER TABLE journal_refusals REPLICA IDENTITY FULL;
ALTER TABLE alerts REPLICA IDENTITY FULL;
