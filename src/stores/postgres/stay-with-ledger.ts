import { ledgerColumns, ledgerTables } from './ledger-tables.ts'

/** In the schema `name` of the path. */
const tableOf = (table: string) => `pg_catalog.to_regclass(pg_catalog.format('%I.${table}', name))`
const isThere = (table: string) => `${tableOf(table)} IS NOT NULL`
const [migrations, ...others] = ledgerTables.map(isThere)
const columnsOfOurs = ledgerColumns.map(
  ([table, column]) => `EXISTS (SELECT FROM pg_catalog.pg_attribute
        WHERE attrelid OPERATOR(pg_catalog.=) ${tableOf(table)}::pg_catalog.oid
          AND attname OPERATOR(pg_catalog.=) '${column}'::pg_catalog.name AND NOT attisdropped)`,
)

/**
 * Leaves the session with the first schema of its search_path that holds a ledger, and with PostgreSQL's own names before all
 * others. Other programs have tables of these names, too, but not these columns. If no ledger is whole, one that has lost a
 * table is taken, so that verify can say which; if there is none at all, the path stays. Each name here, operators included,
 * says where it is: until the path is set, a schema that comes before pg_catalog could hold another one.
 */
export const stayWithLedger = `
  SELECT pg_catalog.set_config('search_path', pg_catalog.concat(pg_catalog.quote_ident(name), ', pg_temp'), false)
  FROM (
    SELECT name FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)
    WHERE ${migrations} AND (${columnsOfOurs.join(' OR ')})
    ORDER BY ${others.join(' AND ')} DESC, place LIMIT 1) AS ledger`
