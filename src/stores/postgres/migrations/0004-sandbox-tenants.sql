-- Whether the awards of a tenant count. Set when the tenant is made: if it could change, awards would start or stop to
-- count afterwards.
ALTER TABLE tenants ADD COLUMN mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'sandbox'));

CREATE FUNCTION refuse_mode_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the mode of a tenant never changes';
END $$;

CREATE TRIGGER tenant_mode_is_never_changed BEFORE UPDATE OF mode ON tenants
  FOR EACH ROW EXECUTE FUNCTION refuse_mode_change();
