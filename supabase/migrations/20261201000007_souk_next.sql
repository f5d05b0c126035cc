-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.
SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.right_to_left_tags()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
RETURN '^(ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa|syrc|nkoo)(-|$)'::text;

CREATE OR REPLACE FUNCTION private.is_written_from_right (
  language text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
RETURN (LANGUAGE ~* private.right_to_left_tags());

COMMENT ON FUNCTION "private"."right_to_left_tags"() IS 'A regular expression for the tags of languages that are usually written from right to left, regardless of case. `npm run types` writes it for the functions and the client, too.';

REVOKE ALL ON FUNCTION "private"."right_to_left_tags"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."right_to_left_tags"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."right_to_left_tags"() TO "postgres";
