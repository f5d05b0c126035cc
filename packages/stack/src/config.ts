import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";

/** A duration in Go's format: `1h30m`, `300ms`. */
const duration = z
  .string()
  .regex(/^(0|(\d+(\.\d+)?(ms|s|m|h))+)$/, "must be a duration such as 30s or 1h");
const hook = z.object({ enabled: z.boolean().default(false), uri: z.string().default("") });

const BYTES = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };
/** A size in bytes, in the CLI's format: `50MiB`, and `50MB` with the same meaning. */
const size = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d+(\.\d+)? ?([kmgt]i?)?b?$/i, "must be a size such as 50MiB")
    .transform((written) => {
      const [, number, unit = ""] = /^([\d.]+) ?([kmgt]?)/i.exec(written) ?? [];
      return Math.floor(Number(number) * BYTES[unit.toLowerCase() as keyof typeof BYTES]);
    }),
]);

/** The part of `supabase/config.toml` that the stack reads, with the CLI's defaults. */
const schema = z.object({
  project_id: z.string().default("souk"),
  api: z
    .object({
      port: z.int().min(0).max(65535).default(54321),
      schemas: z.array(z.string()).default(["public", "graphql_public"]),
      extra_search_path: z.array(z.string()).default(["public", "extensions"]),
      max_rows: z.int().positive().default(1000),
    })
    .prefault({}),
  db: z
    .object({
      port: z.int().min(0).max(65535).default(54322),
      seed: z
        .object({
          enabled: z.boolean().default(true),
          sql_paths: z.array(z.string()).default(["./seed.sql"]),
        })
        .prefault({}),
      vault: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
  auth: z
    .object({
      site_url: z.string().default("http://127.0.0.1:3000"),
      additional_redirect_urls: z.array(z.string()).default([]),
      jwt_expiry: z.int().positive().default(3600),
      signing_keys_path: z.string().default(""),
      enable_signup: z.boolean().default(true),
      enable_anonymous_sign_ins: z.boolean().default(false),
      enable_refresh_token_rotation: z.boolean().default(true),
      refresh_token_reuse_interval: z.int().min(0).default(10),
      minimum_password_length: z.int().default(6),
      password_requirements: z
        .enum([
          "",
          "letters_digits",
          "lower_upper_letters_digits",
          "lower_upper_letters_digits_symbols",
        ])
        .default(""),
      email: z
        .object({
          enable_signup: z.boolean().default(true),
          enable_confirmations: z.boolean().default(false),
          double_confirm_changes: z.boolean().default(true),
          secure_password_change: z.boolean().default(false),
          max_frequency: duration.default("1s"),
          otp_length: z.int().min(6).max(10).default(6),
          otp_expiry: z.int().positive().default(3600),
        })
        .prefault({}),
      sessions: z
        .object({ timebox: duration.default("0"), inactivity_timeout: duration.default("0") })
        .prefault({}),
      hook: z
        .object({
          custom_access_token: hook.prefault({}),
          before_user_created: hook.prefault({}),
        })
        .catchall(hook)
        .prefault({}),
    })
    .prefault({}),
  storage: z
    .object({
      enabled: z.boolean().default(true),
      file_size_limit: size.default(50 * 2 ** 20),
      image_transformation: z.object({ enabled: z.boolean().default(true) }).prefault({}),
      buckets: z
        .record(
          z.string(),
          z.object({
            public: z.boolean().default(false),
            file_size_limit: size.optional(),
            allowed_mime_types: z.array(z.string()).default([]),
            objects_path: z.string().default(""),
          }),
        )
        .default({}),
    })
    .prefault({}),
  local_smtp: z
    .object({
      enabled: z.boolean().default(true),
      port: z.int().min(0).max(65535).default(54324),
      smtp_port: z.int().min(0).max(65535).default(0),
      admin_email: z.string().default("admin@email.com"),
      sender_name: z.string().default("Admin"),
    })
    .prefault({}),
  studio: z
    .object({
      enabled: z.boolean().default(true),
      port: z.int().min(0).max(65535).default(54323),
    })
    .prefault({}),
  edge_runtime: z
    .object({
      enabled: z.boolean().default(true),
      secrets: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
  functions: z
    .record(
      z.string(),
      z.object({
        enabled: z.boolean().default(true),
        verify_jwt: z.boolean().default(true),
        import_map: z.string().optional(),
        entrypoint: z.string().optional(),
      }),
    )
    .default({}),
});

export type Config = z.output<typeof schema> & {
  /** The absolute path of the folder that contains `supabase/`. */
  root: string;
};

/** An error in `supabase/config.toml`. The message says how to fix it. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Reads `supabase/config.toml` below `root`. Throws `ConfigError`. */
export async function readConfig(root: string): Promise<Config> {
  const path = join(root, "supabase", "config.toml");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    throw new ConfigError(`cannot read ${path}: start Souk in the folder that contains supabase/`);
  }
  let table: unknown;
  try {
    table = withEnvironment(parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's message continues with an excerpt of the file.
    const [reason] = error.message.split("\n");
    throw new ConfigError(`${path}:${error.line}: ${reason}`);
  }
  // The section had this name until version 3 of the CLI.
  const { inbucket: local_smtp } = table as { inbucket?: unknown };
  const parsed = schema.safeParse({ ...(local_smtp ? { local_smtp } : {}), ...(table as object) });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(`${path}: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  return { ...parsed.data, root };
}

/** Replaces strings of the form `env(NAME)` by the variable's value, like the CLI. */
function withEnvironment(value: unknown): unknown {
  if (typeof value === "string") {
    const name = /^env\((\w+)\)$/.exec(value)?.[1];
    return name === undefined ? value : (process.env[name] ?? "");
  }
  if (Array.isArray(value)) return value.map(withEnvironment);
  if (typeof value === "object" && value !== null && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withEnvironment(v)]));
  }
  return value;
}

/** Interval between two checks for a changed config, in ms. */
const LOOK_MS = 1000;

/**
 * Calls `changed` when the text of `supabase/config.toml` has changed. Returns a function that
 * stops the checks.
 */
export function watchConfig(root: string, changed: (path: string) => void): () => void {
  const path = join(root, "supabase", "config.toml");
  const read = () => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return null; // An editor may be about to write it again.
    }
  };
  let known = read();
  const look = () => {
    const text = read();
    if (text === null || text === known) return;
    known = text;
    changed(path);
  };
  watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  return () => unwatchFile(path, look);
}
