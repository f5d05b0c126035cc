// Saves the project of this worker and restores it in an empty one, by the commands of docs/guides/runbook.md, on a server
// whose pg_dump and psql are in the path. `.ci/restore` starts one.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OWNER } from "../../packages/stack/src/db/roles.js";
import { openReplica } from "../cluster.js";
import { query } from "../database.js";
import { administer, databaseAt } from "../database-server.js";
import { until } from "../eventually.js";
import { png } from "../media/files.js";
import { type Asset, upload } from "../media/uploading.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  PASSWORD,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { loggedInAs, type RunningStack, type StackAddress, startStack } from "../stack.js";
import { blocksOf, run } from "./pages.js";

const PAGE = "docs/guides/runbook.md";
const isWanted = process.env.SOUK_TEST_RESTORE !== undefined;
if (!isWanted) console.warn("SKIPPED: the restore of a backup, which .ci/restore tests");

/** A block of the page that runs a command, by a part of its text. */
function blockWith(text: string, language: string): string {
  const [block, ...others] = blocksOf(PAGE, language).filter(({ code }) => code.includes(text));
  if (!block || others.length > 0) throw new Error(`${PAGE} has not exactly one block of ${text}`);
  return block.code;
}

/** Runs a command of the page against a stack, with `backups` in a folder of the test. Resolves with its output. */
function follow(
  text: string,
  stack: StackAddress,
  folder: string,
  backup = "",
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const code = blockWith(text, "sh")
    .replace("backups/<time>", backup)
    .replace(/ backups$/m, ` ${folder}`);
  const settings = {
    DATABASE_URL: loggedInAs(OWNER, stack.db_url as string),
    SUPABASE_URL: stack.url,
    SUPABASE_SECRET_KEY: stack.secret_key,
    ...environment,
  };
  return run("bash", ["-c", `set -euo pipefail\n{ ${code}} 2>&1`], ".", settings);
}

/** The number of rows and a checksum of each table that a backup contains. */
async function contentOf(stack: StackAddress): Promise<Record<string, string>> {
  const tables = await query<{ name: string; columns: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
       and (n.nspname in ('public', 'private', 'auth', 'shop') or c.relname in ('buckets', 'objects'))
       and c.oid <> 'private.epoch'::regclass
       -- Of the bytes, which were uploaded again.
       and not (
         c.oid = 'storage.objects'::regclass
         and a.attname in ('version', 'metadata', 'updated_at', 'last_accessed_at')
       )
     group by n.nspname, c.relname`,
    [],
    stack,
  );
  const content: Record<string, string> = {};
  for (const { name, columns } of tables) {
    const [row] = await query<{ content: string }>(
      `select concat(count(*), ' rows, ', md5(string_agg(r.hash, '' order by r.hash))) as content
       from (select md5(row(${columns})::text) as hash from ${name}) r`,
      [],
      stack,
    );
    content[name] = row?.content as string;
  }
  return content;
}

async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Examples of what the page allows to read from replicas. */
const READ_FROM_REPLICAS = [
  "(select jsonb_agg(p.id order by p.id) from public.products p)",
  "public.get_product('d0000000-0000-4000-8000-000000000014')",
  "public.list_categories()",
  "public.storefront('oasis.demo.souk.test')",
  "public.get_template('product')",
  "public.analytics_overview()",
  "public.list_products(search => 'glass')",
  "public.similar_products('d0000000-0000-4000-8000-000000000014')",
  "public.top_sales()",
  "public.list_events()",
];

describe("a backup that pg_dump refuses", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "souk-backups-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Saves with a `pg_dump` that is this script. Resolves to what the command printed. */
  async function saveWith(script: string): Promise<string> {
    await writeFile(join(folder, "pg_dump"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const path = { PATH: `${folder}${delimiter}${process.env.PATH}` };
    return await follow("backup -- save", ownStack, join(folder, "backups"), "", path).catch(
      (error: Error) => error.message,
    );
  }

  it("names the next step where pg_dump is older than the server", async () => {
    const printed = await saveWith(
      'echo "pg_dump: error: aborting because of server version mismatch" >&2; exit 1',
    );
    expect(printed).toContain("server version mismatch");
    expect(printed).toContain("https://www.postgresql.org/download");
  });

  it("leaves no folder that looks like a backup", async () => {
    expect(await saveWith('echo "half of the rows"; exit 1')).toContain("pg_dump ended with 1");
    const left = await readdir(join(folder, "backups")).catch(() => []);
    expect(left.filter((name) => name !== "objects")).toEqual([]);
  });

  it("is not offered to git, in the folder that the page names", async () => {
    // git prints the paths that it ignores, and fails if there are none.
    expect(await run("git", ["check-ignore", "backups/about.json"])).toContain("backups/");
  });
});

describe.skipIf(!isWanted)(PAGE, () => {
  const image = png(16, 16);
  const document = Buffer.from("A receipt.");
  let folder: string;
  let restored: RunningStack;
  let backup: string;
  let tenant: TestTenant;
  let other: TestTenant;
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  let order: any;
  let assets: { picture: Asset; paper: Asset };
  let before: Record<string, string>;

  beforeAll(async () => {
    const server = process.env.DATABASE_URL as string;
    folder = await mkdtemp(join(tmpdir(), "souk-backups-"));
    [tenant, other] = await Promise.all([openTestTenant(), openTestTenant()]);
    const product = await listProduct(tenant.supplier, { marketplace_id: tenant.marketplace.id });
    // Texts that mean something to psql, to COPY or to a shell.
    await must("PUT", `/api/products/${product.id}`, {
      as: tenant.supplier,
      body: {
        name: "\\. \\N $$ $1 '\"; drop",
        description: "a\n\\.\n\\connect x\r\n\t;\n-- \u{1F600}",
      },
    });
    const guest = await openGuest(tenant.marketplace);
    order = await must("POST", "/api/orders", { as: tenant.customer, body: orderFor(product, 2) });
    const note = { as: tenant.customer, body: { text: "Ring twice." } };
    await must("POST", `/api/orders/${order.id}/notes`, note);
    await must("POST", "/api/orders", {
      as: guest,
      body: orderFor(product, 1, { contact: { email: "ada@example.com", name: "Ada" } }),
    });
    assets = {
      picture: await upload(tenant.operator, image, "image/png", { filename: "tea glass.png" }),
      paper: await upload(tenant.operator, document, "text/plain", { private: true }),
    };
    const storage = supabaseAsService(ownStack).storage;
    await storage.createBucket("papers (old)", { public: false });
    // The dashboard of Supabase makes an empty object for each new folder.
    for (const name of ["odd/.emptyFolderPlaceholder", "odd/a &=+,;:@$!*'(b).txt"]) {
      const bytes = name.endsWith(".txt") ? document : "";
      const { error } = await storage
        .from("papers (old)")
        .upload(name, bytes, { contentType: "text/plain", upsert: true });
      expect(error).toBeNull();
    }
    // Events of days whose partitions an empty project lacks.
    await query("update public.events set created_at = created_at - interval '3 days'");
    await query("select private.make_event_partitions()");
    await query(
      `insert into private.storefront_events (tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id)
       select m.tenant_id, gen_random_uuid(), current_date - 3, now() - interval '3 days', 'visit', gen_random_uuid(), m.id
       from public.marketplaces m`,
    );
    await query("select private.make_storefront_partitions()");

    const name = `souk_restored_${process.pid}`;
    await administer(server, `create database ${name}`);
    restored = await startStack(["--database-url", databaseAt(server, name), "--no-seed"], {
      functions: ["api", "auth", "media-sweep"],
    });

    // Nothing changes the rows from here on.
    await query("update cron.job set active = false");
    await query(
      `select pg_advisory_lock(private.kind_key('clock'), private.lock_key(q.queue))
       from (select distinct queue from private.jobs_due) q`,
    );
    await until(async () => {
      const [waiting] = await query<{ count: number }>(
        `select (select count(*) from public.mails where status in ('pending', 'retrying'))::int
           + (select count(*) from private.media_sweeps where due_at < now())::int as count`,
      );
      return waiting?.count === 0;
    }, "the end of the work that the requests above caused");
    before = await contentOf(ownStack);
  });

  afterAll(async () => {
    await restored?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  it("saves rows and objects, and each object once", async () => {
    expect(await follow("backup -- save", ownStack, folder)).toMatch(/saved \d{4,} rows/);
    expect(await follow("backup -- save", ownStack, folder)).toContain("saved 0 new objects");
    const [first, second] = (await readdir(folder)).filter((name) => name !== "objects").sort();
    backup = join(folder, (second ?? first) as string);
    expect(await contentOf(ownStack)).toEqual(before);
    const about = JSON.parse(await readFile(join(backup, "about.json"), "utf8"));
    expect(about.rows["public.orders"]).toBeGreaterThan(1);
    expect(about.rows).not.toHaveProperty("private.request_counts");
  });

  it("refuses a project in use, and one of another release", async () => {
    const refused = (stack: StackAddress, of = backup) =>
      follow("backup -- restore", stack, folder, of).catch((error: Error) => error.message);
    expect(await refused(ownStack)).toContain("the project has tenants or users");
    expect(await refused(restored, folder)).toContain(`did you mean ${folder}`);
    const older = join(folder, "older");
    await run("cp", ["-r", backup, older]);
    const about = JSON.parse(await readFile(join(older, "about.json"), "utf8"));
    const file = JSON.stringify({ ...about, migrations: [...about.migrations, "30000101000000"] });
    await writeFile(join(older, "about.json"), file);
    expect(await refused(restored, older)).toContain("differ in migration 30000101000000");
  });

  it("restores every row and every object in an empty project", async () => {
    const output = await follow("backup -- restore", restored, folder, backup);
    expect(output).toContain("every table has as many");
    expect(await contentOf(restored)).toEqual(before);
    const [left] = await query<Record<string, string>>(
      `select
        (select count(*) from private.events_default) as events,
        (select count(*) from private.storefront_events_default) as visits,
        (select count(*) from public.events where epoch >= private.present_epoch()) as unread,
        (select count(*) from cron.job where active) as jobs`,
      [],
      restored,
    );
    expect(left).toEqual({ events: "0", visits: "0", unread: "0", jobs: "0" });
    for (const same of [
      "select jobname, schedule, command from cron.job order by jobname",
      // Not those of unlogged tables, which a backup leaves out.
      `select s.schemaname, s.sequencename, s.last_value
       from pg_sequences s
       join pg_class c on c.oid = format('%I.%I', s.schemaname, s.sequencename)::regclass
       where s.schemaname in ('public', 'private', 'auth', 'storage') and c.relpersistence = 'p'
       order by s.schemaname, s.sequencename`,
    ]) {
      expect(await query(same, [], restored)).toEqual(await query(same));
    }
    const { data } = await supabaseAsService(restored)
      .storage.from("papers (old)")
      .download("odd/a &=+,;:@$!*'(b).txt");
    expect(Buffer.from(await (data as Blob).arrayBuffer())).toEqual(document);
    const again = await follow("backup -- objects", restored, folder, backup);
    expect(again).toContain("uploaded 0 objects");
  });

  it("uploads the bytes that a restore to an earlier time lacks", async () => {
    const storage = supabaseAsService(restored).storage.from("documents");
    const [saved] = await query<Record<string, unknown>>(
      "select name, version, metadata from storage.objects where bucket_id = 'documents'",
    );
    const name = saved?.name as string;
    expect((await storage.remove([name])).error).toBeNull();
    // The row is back, as of the time of the backup.
    await query(
      "insert into storage.objects (bucket_id, name, version, metadata) values ('documents', $1, $2, $3)",
      [name, saved?.version, saved?.metadata],
      restored,
    );
    expect(await follow("backup -- objects", restored, folder, backup)).toContain("uploaded 1 ");
    const { data } = await storage.download(name);
    expect(Buffer.from(await (data as Blob).arrayBuffer())).toEqual(document);
  });

  it("copies rows that are gone from another project", async () => {
    const notes = (stack: StackAddress) =>
      query(
        "select * from public.order_notes where tenant_id = $1 order by id",
        [tenant.tenantId],
        stack,
      );
    const saved = await notes(ownStack);
    expect(saved.length).toBe(1);
    await query("delete from public.order_notes", [], restored);
    const code = blockWith("$COPY_URL", "sh")
      .replaceAll("rows.csv", join(folder, "rows.csv"))
      .replace("<tenant>", tenant.tenantId);
    for (let times = 0; times < 2; times++) {
      await run("bash", ["-c", `set -euo pipefail\n${code}`], ".", {
        COPY_URL: loggedInAs(OWNER, ownStack.db_url as string),
        DATABASE_URL: loggedInAs(OWNER, restored.db_url as string),
      });
    }
    expect(await notes(restored)).toEqual(saved);
  });

  it("has jobs that run", async () => {
    await query(blockWith("active => true", "sql"), [], {
      ...restored,
      db_url: loggedInAs(OWNER, restored.db_url as string),
    });
    const jobs = await query<{ command: string; active: boolean }>(
      "select command, active from cron.job",
      [],
      restored,
    );
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      "select count(*)::int as count from cron.job",
    );
    expect(jobs.length).toBe(count);
    for (const { command, active } of jobs) {
      expect(active).toBe(true);
      const editor = { ...restored, db_url: loggedInAs(OWNER, restored.db_url as string) };
      await query(command, [], editor);
    }
    const failing = "select name, last_error from private.jobs_due where failures > 0";
    expect(await query(failing, [], restored)).toEqual([]);
  });

  it("lets users sign in, also with their sessions, and shows them their orders", async () => {
    const { email, refreshToken } = tenant.customer;
    const body = { email, password: PASSWORD };
    const { access_token: token } = await must("POST", "/auth/login", { body, stack: restored });
    const path = `/api/orders/${order.id}`;
    const there = await must("GET", path, { as: token, stack: restored });
    expect(there).toEqual(await must("GET", path, { as: tenant.customer }));
    const refreshed = await must("POST", "/auth/refresh", {
      body: { refresh_token: refreshToken },
      stack: restored,
    });
    expect(refreshed.user.tenant_id).toBe(tenant.tenantId);
    const placed = await call("POST", "/api/orders", {
      as: token,
      body: orderFor({
        ...order.items[0],
        id: order.items[0].product_id,
        marketplace_id: order.marketplace_id,
      }),
      stack: restored,
    });
    expect([placed.status, placed.body.error]).toEqual([201, undefined]);
    expect(placed.body.number).not.toBe(order.number);
  });

  it("keeps tenants apart", async () => {
    const body = { email: other.operator.email, password: PASSWORD };
    const { access_token: token } = await must("POST", "/auth/login", { body, stack: restored });
    const found = await call("GET", `/api/orders/${order.id}`, { as: token, stack: restored });
    expectRefusal(found, 404, "NOT_FOUND");
    const { data } = await supabaseAs({ ...other.operator, token }, restored)
      .from("orders")
      .select("id");
    expect(data).toEqual([]);
    const anybody = await supabaseAs(undefined, restored).from("orders").select("id");
    expect(anybody.error?.code).toBe("42501");
    const policies =
      "select schemaname, tablename, policyname, cmd, roles::text, qual, with_check from pg_policies";
    const sorted = async (stack: StackAddress) =>
      (await query(policies, [], stack)).map((policy) => JSON.stringify(policy)).sort();
    // The partitions of old days have no policies: all access is through their table.
    expect(await sorted(restored)).toEqual(await sorted(ownStack));
  });

  it("serves media at the address of the new project", async () => {
    const statement = blockWith("set_storage_address", "sql").replaceAll(
      "https://<new ref>.supabase.co",
      restored.url,
    );
    await query(statement, [], restored);
    const body = { email: tenant.operator.email, password: PASSWORD };
    const { access_token: as } = await must("POST", "/auth/login", { body, stack: restored });
    for (const [asset, bytes] of [
      [assets.picture, image],
      [assets.paper, document],
    ]) {
      const { url } = await must("GET", `/api/media/${asset.id}`, { as, stack: restored });
      expect(url.startsWith(restored.url)).toBe(true);
      expect(await bytesOf(url)).toEqual(bytes);
    }
  });

  it("can be read from a replica, as far as the page says", async () => {
    const replica = await openReplica(ownStack.db_url as string);
    const claims = JSON.stringify({
      sub: "d0000000-0000-4000-8000-000000000001",
      tenant_id: "d0000000-0000-4000-8000-0000000000a0",
      role: "authenticated",
    });
    /** What a member gets for an expression; the code of a refusal. */
    const ask = async (url: string, expression: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(
          "select set_config('request.jwt.claims', $1, false), set_config('request.headers', $2, false)",
          [claims, '{"x-souk-promotion": "none"}'],
        );
        await client.query("set role authenticated");
        return (await client.query(`select ${expression} as answer`)).rows[0].answer;
      } catch (error) {
        return (error as pg.DatabaseError).code;
      } finally {
        await client.end();
      }
    };
    try {
      for (const expression of READ_FROM_REPLICAS) {
        const there = await ask(ownStack.db_url as string, expression);
        expect(typeof there, expression).toBe("object");
        expect(await ask(replica.url, expression), expression).toEqual(there);
      }
      // What `limit_rest` does before each request: an unlogged table cannot be read.
      expect(await ask(replica.url, "private.count_rest_request()")).toBe("0A000");
      expect(await ask(replica.url, "public.create_media_folder('Teas')")).toBe("25006");
    } finally {
      await replica.remove();
    }
  });
});
