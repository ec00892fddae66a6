import { runSql } from './run-sql.ts'

/** A copy of the ledger without its entries, as somebody might restore one beside it. */
export const copyOfSettings = `
  CREATE SCHEMA "Second";
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE "Second".%I (LIKE public.%I INCLUDING ALL)', name, name);
      IF name NOT IN ('entries', 'accounts', 'user_days') THEN
        EXECUTE format('INSERT INTO "Second".%I OVERRIDING SYSTEM VALUE SELECT * FROM public.%I', name, name);
      END IF;
    END LOOP;
  END $$`

/** The search_path of the role leads all new connections to a copy. */
export async function leadToCopy(url: string, role: string): Promise<void> {
  await runSql(url, copyOfSettings)
  await runSql(
    url,
    `GRANT USAGE ON SCHEMA "Second" TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA "Second" TO ${role};
     ALTER ROLE ${role} SET search_path = "Second"`,
  )
}
