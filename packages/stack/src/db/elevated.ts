// Statements that Postgres allows superusers only, and hosted projects also `postgres`: their extension supautils runs them
// as the superuser. The lists are those of its configuration in supabase/postgres
// (ansible/files/postgresql_config/supautils.conf.j2).

/** A node of Postgres' syntax tree: its kind, and its fields. */
export type Node = Record<string, unknown>;

/** The tables of the services that may get policies. */
const TABLES_WITH_POLICIES = [
  "auth.audit_log_entries",
  "auth.identities",
  "auth.refresh_tokens",
  "auth.sessions",
  "auth.users",
  "realtime.messages",
  "storage.buckets",
  "storage.migrations",
  "storage.objects",
  "storage.s3_multipart_uploads",
  "storage.s3_multipart_uploads_parts",
];

/** Extensions of Postgres that hosted projects refuse, because they reach the server's files or memory. */
const REFUSED_EXTENSIONS = [
  "adminpack",
  "amcheck",
  "file_fdw",
  "lo",
  "old_snapshot",
  "pageinspect",
  "pg_buffercache",
  "pg_freespacemap",
  "pg_surgery",
  "pg_visibility",
];

/** Whether hosted projects run a statement of `postgres` as the superuser. */
export function isElevated(statement: Node = {}): boolean {
  const [kind = "", fields] = Object.entries(statement)[0] ?? [];
  const { extname, table, removeType, objects } = (fields ?? {}) as Fields;
  if (kind === "CreateExtensionStmt" || kind === "AlterExtensionStmt") {
    return !REFUSED_EXTENSIONS.includes(String(extname));
  }
  if (kind === "CreatePolicyStmt" || kind === "AlterPolicyStmt") {
    return TABLES_WITH_POLICIES.includes(`${table?.schemaname}.${table?.relname}`);
  }
  if (kind === "DropStmt" && removeType === "OBJECT_POLICY") {
    return (objects ?? []).every(({ List }) => {
      const names = List.items.map(({ String: name }) => name.sval);
      return TABLES_WITH_POLICIES.includes(names.slice(0, -1).join("."));
    });
  }
  return kind === "CreateEventTrigStmt";
}

/** The fields of the statements above. */
interface Fields {
  extname?: string;
  table?: { schemaname?: string; relname?: string };
  removeType?: string;
  objects?: { List: { items: { String: { sval: string } }[] } }[];
}
