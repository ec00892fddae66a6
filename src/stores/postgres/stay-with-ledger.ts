/**
 * Leaves the session with the first schema of its search_path that has a table migrations, and with PostgreSQL's own names
 * before all others. If there is none, the path stays. Each name says where it is, and there is no operator: until the path
 * is set, a schema that comes before pg_catalog could hold another one.
 */
export const stayWithLedger = `
  SELECT pg_catalog.set_config('search_path', pg_catalog.concat(pg_catalog.quote_ident(name), ', pg_temp'), false)
  FROM (
    SELECT name FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)
    WHERE pg_catalog.to_regclass(pg_catalog.format('%I.migrations', name)) IS NOT NULL
    ORDER BY place LIMIT 1) AS ledger`
