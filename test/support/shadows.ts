import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const stores = fileURLToPath(new URL('../../src/stores', import.meta.url))

/** The words before a parenthesis: what a statement of ours calls is among them. */
function calledNames(): string[] {
  const files = readdirSync(stores, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(ts|sql)$/.test(file),
  )
  const texts = files.map((file) => readFileSync(join(stores, file), 'utf8'))
  return [...new Set(texts.flatMap((text) => text.match(/\b[a-z_]+(?=\()/g) ?? []))]
}

const names = `{${calledNames().join(',')}}`

/**
 * Makes, in the schema public, every operator and function that PostgreSQL would prefer to its own where a statement mixes
 * types or leaves one open: those that pg_catalog does not have for these types. Each fails with "called: …". Returns how many.
 */
export const makeShadows = `
  CREATE FUNCTION public.make_shadows() RETURNS int LANGUAGE plpgsql SET search_path = pg_catalog AS $make$
  DECLARE
    numbers text[] := '{int2,int4,int8,numeric,float8,oid,regclass,regcollation,regnamespace}';
    texts text[] := ARRAY['text', 'varchar', 'name', '"char"'];
    others text[] := '{bytea,uuid,bool,timestamptz,interval}';
    body text := 'LANGUAGE plpgsql AS $body$ BEGIN RAISE EXCEPTION %L; END $body$';
    made int := 0;
    a text; b text; op text; args text; called record;
  BEGIN
    FOREACH a IN ARRAY numbers || texts || others LOOP
      FOREACH b IN ARRAY numbers || texts || others LOOP
        FOREACH op IN ARRAY '{=,<>,<,>,<=,>=,+,-,*,/,||}'::text[] LOOP
          CONTINUE WHEN op IN ('+', '-', '*', '/') AND NOT (a = ANY (numbers) AND b = ANY (numbers));
          CONTINUE WHEN op = '||' AND NOT (a = ANY (texts) OR b = ANY (texts));
          CONTINUE WHEN EXISTS (SELECT FROM pg_operator
            WHERE oprname = op AND oprleft = a::regtype AND oprright = b::regtype);
          made := made + 1;
          EXECUTE format('CREATE FUNCTION public.shadow_%s(%s, %s) RETURNS %s ' || body, made, a, b,
            CASE WHEN op IN ('+', '-', '*', '/') THEN 'numeric' WHEN op = '||' THEN 'text' ELSE 'boolean' END,
            format('called: %s %s %s', a, op, b));
          EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.shadow_%s)',
            op, a, b, made);
        END LOOP;
      END LOOP;
    END LOOP;
    FOR called IN
      SELECT DISTINCT ON (proname, other.args) proname AS name, prokind = 'a' AS is_aggregate, format_type(prorettype, NULL) AS returns,
        other.args
      FROM pg_proc, LATERAL (
        SELECT (SELECT string_agg(CASE WHEN i = changed THEN alternative ELSE format_type(type, NULL) END, ', ' ORDER BY i)
          FROM unnest(proargtypes) WITH ORDINALITY AS argument (type, i)) AS args
        FROM unnest(proargtypes) WITH ORDINALITY AS changing (old, changed),
          unnest(CASE WHEN old::regtype::text = ANY ('{smallint,integer,bigint,numeric,double precision,oid,regclass}')
            THEN numbers || 'text'::text ELSE texts END) AS alternative
        WHERE alternative::regtype <> old) AS other
      WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY ($names$${names}$names$::text[])
        AND pronargs BETWEEN 1 AND 3 AND NOT proretset AND prokind IN ('f', 'a') AND provariadic = 0
        AND NOT (prokind = 'a' AND prorettype = 'record'::regtype)
        AND NOT EXISTS (SELECT FROM unnest(proargtypes || prorettype) AS used WHERE used::regtype::text ~ '^"?any|internal|cstring|trigger')
    LOOP
      CONTINUE WHEN to_regprocedure(format('%I(%s)', called.name, called.args)) IS NOT NULL;
      made := made + 1;
      IF NOT called.is_aggregate THEN
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s ' || body, called.name, called.args, called.returns,
          format('called: %s(%s)', called.name, called.args));
      ELSIF called.args NOT LIKE '%,%' THEN
        EXECUTE format('CREATE FUNCTION public.step_%s(%s, %s) RETURNS %2$s ' || body, made, called.returns, called.args,
          format('called: %s(%s)', called.name, called.args));
        EXECUTE format('CREATE FUNCTION public.result_%s(%s) RETURNS %2$s ' || body, made, called.returns,
          format('called: %s(%s)', called.name, called.args));
        EXECUTE format('CREATE AGGREGATE public.%I(%s) (SFUNC = public.step_%s, STYPE = %s, FINALFUNC = public.result_%3$s)',
          called.name, called.args, made, called.returns);
      END IF;
    END LOOP;
    -- Those for any type: one for a type of ours is preferred.
    FOR called IN
      SELECT DISTINCT proname AS name, prokind = 'a' AS is_aggregate, proretset AS is_set, type
      FROM pg_proc, unnest(numbers || texts || others || '{text[],name[],int8[],bytea[],json,jsonb,record}'::text[]) AS type
      WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY ($names$${names}$names$::text[])
        AND pronargs = 1 AND prokind IN ('f', 'a') AND proargtypes[0]::regtype::text ~ '^"?any'
    LOOP
      CONTINUE WHEN called.is_aggregate AND called.type = 'record';
      CONTINUE WHEN EXISTS (SELECT FROM pg_proc
        WHERE proname = called.name AND pronargs = 1 AND proargtypes[0] = called.type::regtype);
      made := made + 1;
      IF NOT called.is_aggregate THEN
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s text ' || body, called.name, called.type,
          CASE WHEN called.is_set THEN 'SETOF' END, format('called: %s(%s)', called.name, called.type));
      ELSE
        EXECUTE format('CREATE FUNCTION public.step_%s(text, %s) RETURNS text ' || body, made, called.type,
          format('called: %s(%s)', called.name, called.type));
        EXECUTE format('CREATE FUNCTION public.result_%s(text) RETURNS text ' || body, made,
          format('called: %s(%s)', called.name, called.type));
        EXECUTE format('CREATE AGGREGATE public.%I(%s) (SFUNC = public.step_%s, STYPE = text, FINALFUNC = public.result_%3$s)',
          called.name, called.type, made);
      END IF;
    END LOOP;
    RETURN made;
  END $make$;
  SELECT public.make_shadows() AS made`
