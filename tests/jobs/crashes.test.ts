import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { isWithoutVectors } from "../embeddings/embeddings.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { askFor, type Export, getExport, rowsOf } from "../exports/exporting.js";
import { type Message, mailbox, messagesTo } from "../mail/mailbox.js";
import { SECRET, withMetadata } from "../media/pictures.js";
import { upload } from "../media/uploading.js";
import { openPlace } from "../place.js";
import { commandOf, descendantsOf } from "../processes.js";
import { call, must, openTestTenant, supabaseAs, type TestTenant, useStack } from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";

// The workers of private.queues, each killed three times while it works. Every job is done afterwards, and each once,
// except for the one that was being done at a kill.

const KILLS = 3;
const PRODUCTS = 60;

let stack: RunningStack;
let drop = async () => {};
/** Two tenants with the same products. */
let tenants: TestTenant[];
let without: boolean;

beforeAll(async () => {
  const place = await openPlace();
  drop = place.drop;
  const workers = ["mail-dispatch", "export-dispatch", "media-sweep", "embed"];
  stack = await startStack(place.options, { functions: ["api", "auth", ...workers] });
  useStack(stack);
  await setRateLimit(stack, "admin", 1_000_000);
  without = await isWithoutVectors();
  tenants = [await openTestTenant(), await openTestTenant()];
  for (const { operator } of tenants) {
    const products = Array.from({ length: PRODUCTS }, (_, n) => ({
      ...{ name: `Rug ${n}`, description: "Wool, knotted by hand. ".repeat(1000), price: n },
    }));
    await supabaseAs(operator).from("products").insert(products).throwOnError();
  }
});

afterAll(async () => {
  useStack(undefined);
  await stack?.stop();
  await drop();
});

const idsOf = (all: TestTenant[]) => all.map(({ tenantId }) => tenantId);

async function count(sql: string, values: unknown[] = [idsOf(tenants)]): Promise<number> {
  const [row] = await query<{ count: number }>(`select count(*)::integer as count ${sql}`, values);
  return row?.count ?? 0;
}

/** The work of a queue, which has begun. */
interface Work {
  countLeft(): Promise<number>;
  /** Fails unless everything is done, and nothing twice. */
  check(): Promise<void>;
}

async function sendMails(): Promise<Work> {
  const run = randomUUID();
  const addresses = Array.from({ length: 60 }, (_, n) => `${run}-${n}@example.com`);
  for (const id of idsOf(tenants)) await query("select public.set_mails_per_day($1, 1000)", [id]);
  await query(
    `insert into public.mails (tenant_id, template, cause_id, "to", name, languages)
     select ($1::uuid[])[1 + n % 2], 'welcome', gen_random_uuid(), a.address, 'Reader', '{en}'
     from unnest($2::text[]) with ordinality as a (address, n)`,
    [idsOf(tenants), addresses],
  );
  return {
    countLeft: () => count(`from public.mails where "to" ^@ $1 and status <> 'success'`, [run]),
    async check() {
      const arrived = await Promise.all(addresses.map(messagesTo));
      const twice = arrived.filter(({ length }) => length > 1);
      expect(arrived.flat().length).toBeLessThanOrEqual(addresses.length + KILLS);
      for (const messages of arrived) expect(messages.length).toBeGreaterThan(0);
      for (const messages of twice) {
        // A reader sees one: the Message-ID and the content are the same.
        const contents = await Promise.all(messages.map(contentOf));
        expect(new Set(contents).size).toBe(1);
      }
    },
  };
}

async function contentOf({ ID, MessageID }: Message): Promise<string> {
  const { HTML, Text } = (await (await fetch(mailbox(`/api/v1/message/${ID}`))).json()) as Message;
  return JSON.stringify({ MessageID, HTML, Text });
}

const exported: { asked: Export; as: TestTenant["operator"] }[] = [];

async function writeExports(): Promise<Work> {
  for (let n = 0; n < 8; n += 1) {
    for (const { operator: as } of tenants)
      exported.push({ as, asked: await askFor(as, { type: "products" }) });
  }
  const now = () => Promise.all(exported.map(({ as, asked }) => getExport(as, asked)));
  return {
    countLeft: async () => (await now()).filter(({ status }) => status !== "ready").length,
    async check() {
      for (const ready of await now()) {
        expect(ready).toMatchObject({ status: "ready", rows: PRODUCTS });
        const names = (await rowsOf(ready)).map(({ id }) => id);
        expect(new Set(names).size).toBe(PRODUCTS);
        expect(names).toHaveLength(PRODUCTS);
      }
    },
  };
}

async function deleteExports(): Promise<Work> {
  for (const { as, asked } of exported.splice(0))
    await must("DELETE", `/api/analytics/exports/${asked.id}`, { as });
  return {
    countLeft: () =>
      count("from storage.objects where bucket_id = 'exports' and left(name, 36) = any ($1)"),
    check: async () => {},
  };
}

async function cleanImages(): Promise<Work> {
  const keep = (keep_metadata: boolean | null) =>
    Promise.all(
      tenants.map(({ operator: as }) =>
        must("PATCH", "/api/tenant", { as, body: { settings: { media: { keep_metadata } } } }),
      ),
    );
  await keep(true);
  const bytes = await withMetadata("jpeg");
  const urls: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    for (const { operator } of tenants)
      urls.push((await upload(operator, bytes, "image/jpeg", { filename: `${n}.jpg` })).url);
  }
  await keep(null);
  return {
    countLeft: () => count("from public.media_assets where tenant_id = any ($1) and not cleaned"),
    async check() {
      for (const url of urls) {
        const image = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect((await sharp(image).metadata()).width).toBe(400);
        expect(image.includes(SECRET)).toBe(false);
      }
    },
  };
}

async function computeVectors(): Promise<Work> {
  for (const { operator, tenantId } of tenants) {
    const named = { name: "Kilim" };
    await supabaseAs(operator).from("products").update(named).eq("tenant_id", tenantId);
  }
  return {
    countLeft: () =>
      count(
        `from public.products p
         left join private.embedding_states s on s.tenant_id = p.tenant_id and s.product_id = p.id
         where p.tenant_id = any ($1) and s.stale is not false`,
      ),
    check: async () => {},
  };
}

/** Ends all waits, and the leases that were taken before a time. */
const passTime = (takenBefore: Date) =>
  query(
    `update private.jobs j set due_at = now()
     from private.queues q
     where q.queue = j.queue and j.due_at > now()
       and (j.lease is null or j.leased_until < $1::timestamptz + q.lease)`,
    [takenBefore],
  );

const wake = (worker: string) =>
  call("POST", `/${worker}`, { headers: { apikey: stack.secret_key } });

/** Kills a worker. Returns a time behind its last call, which the database may execute after its death. */
async function kill(worker: string): Promise<Date> {
  const victims = descendantsOf(stack.process.pid as number).filter((pid) =>
    commandOf(pid).includes(`/${worker}/`),
  );
  for (const pid of victims) process.kill(pid, "SIGKILL");
  // Its last call may still be on its way to the database.
  await pause(1000);
  const [now] = await query<{ at: Date }>("select clock_timestamp() as at");
  return now?.at as Date;
}

describe.each([
  ["mails", "mail-dispatch", sendMails],
  ["small_exports", "export-dispatch", writeExports],
  ["export_files", "export-dispatch", deleteExports],
  ["media_cleanings", "media-sweep", cleanImages],
  ["embeddings", "embed", computeVectors],
])("the queue %s", (queue, worker, begin) => {
  it("loses and repeats nothing when its worker is killed", async (context) => {
    context.skip(without && queue === "embeddings", "this server lacks the extension vector");
    const { countLeft, check } = await begin();
    const all = await countLeft();
    let killedAt = new Date(0);
    /** The number of jobs that are left, after a while. */
    const countLater = async () => {
      await passTime(killedAt);
      expect((await wake(worker)).status).toBe(202);
      return countLeft();
    };
    for (let kills = 1; kills <= KILLS; kills += 1) {
      await eventually(async () =>
        expect(await countLater()).toBeLessThanOrEqual(all * (1 - kills / (KILLS + 1))),
      );
      killedAt = await kill(worker);
    }
    await eventuallyNone(countLater);
    await check();
    const worked = worker === "embed" ? [queue, "word_lessons"] : [queue];
    await eventuallyNone(async () => {
      await countLater();
      return count("from private.jobs where queue = any ($1)", [worked]);
    });
  });
});
