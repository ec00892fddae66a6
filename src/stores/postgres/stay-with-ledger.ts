import { ledgerTables } from './ledger-tables.ts'

/** In the schema `name` of the path. */
const has = (table: string) => `pg_catalog.to_regclass(pg_catalog.format('%I.${table}', name)) IS NOT NULL`
const [migrations, ...others] = ledgerTables.map(has)

/**
 * Leaves the session with the first schema of its search_path that holds a ledger, and with PostgreSQL's own names before all
 * others. Other programs have a table migrations, too. If no ledger is whole, one that has lost a table is taken, so that
 * verify can say which; if there is none at all, the path stays. Each name here says where it is, and there is no operator:
 * until the path is set, a schema that comes before pg_catalog could hold another one.
 */
export const stayWithLedger = `
  SELECT pg_catalog.set_config('search_path', pg_catalog.concat(pg_catalog.quote_ident(name), ', pg_temp'), false)
  FROM (
    SELECT name FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)
    WHERE ${migrations} AND (${others.join(' OR ')})
    ORDER BY ${others.join(' AND ')} DESC, place LIMIT 1) AS ledger`
