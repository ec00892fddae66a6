-- Only `verify` read by it, and only a ledger that it had found unsound. It cost every award a page somewhere else in the
-- file, which was a tenth of the award's time.
DROP INDEX entries_by_user;
