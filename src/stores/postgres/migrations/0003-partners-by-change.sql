-- The settings version of each partner's last change, so that running servers read only the partners that changed.
ALTER TABLE partners ADD COLUMN changed_in bigint NOT NULL DEFAULT 0;
CREATE INDEX partners_by_change ON partners (changed_in, partner_id);
