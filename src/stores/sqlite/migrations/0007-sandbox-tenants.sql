-- Whether the awards of a tenant count. Set when the tenant is made: if it could change, awards would start or stop to
-- count afterwards.
ALTER TABLE tenants ADD COLUMN mode TEXT NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'sandbox'));

CREATE TRIGGER tenant_mode_is_never_changed BEFORE UPDATE OF mode ON tenants
BEGIN
  SELECT RAISE(ABORT, 'the mode of a tenant never changes');
END;
