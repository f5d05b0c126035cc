// Follows the guides in docs/guides in a separate project: a copy of supabase/, with the additions of the guides. A
// block whose first line is a comment with a path is that file. For config.toml it contains sections to add or replace.
// The ts blocks of a guide without a path are one program. `postgres` runs the sql blocks of the guide to
// production and of the runbook, as in the dashboard's editor.
import { createHmac, randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { decodeJwt, SignJWT } from "jose";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OWNER } from "../../packages/stack/src/db/roles.js";
import { query } from "../database.js";
import { openStripe, type Stripe } from "../payments/stripe.js";
import { openFolder, type StackDatabase } from "../place.js";
import {
  call,
  expectRefusal,
  must,
  PASSWORD,
  type Person,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { loggedInAs, type RunningStack, type StackAddress, startStack } from "../stack.js";
import { endpointsOf, KNOWN_METRICS, metrics, metricsIn, rules } from "./alerts.js";
import { aimedAt, anchorsOf, blocksOf, fileOf, guides, runModule } from "./pages.js";

let root: string;
let stack: RunningStack;
/** The stack, with the database as `postgres`, with the rights of the dashboard's SQL editor. */
let editor: StackAddress;
let place: StackDatabase;
let stripe: Stripe;

/** The demo's tenant. */
const TENANT = "d0000000-0000-4000-8000-0000000000a0";
/** The demo's API key. */
const DEMO_KEY = "d0000000-0000-4000-8000-000000000004";

/** Functions that no guide calls. Each would be a process. */
const UNUSED = ["embed", "marketplaces", "orders", "products", "semantic-search"];

beforeAll(async () => {
  stripe = await openStripe();
  root = await mkdtemp(join("tests", ".guides-"));
  await cp("supabase", join(root, "supabase"), { recursive: true });
  const config = join(root, "supabase/config.toml");
  const off = new RegExp(`^\\[functions\\.(${UNUSED.join("|")})\\]$`, "gm");
  await writeFile(config, (await readFile(config, "utf8")).replace(off, "$&\nenabled = false"));
  for (const { code } of guides.flatMap((guide) => blocksOf(guide))) await follow(code);
  await writeFile(
    join(root, "supabase/functions/.env"),
    `${await readFile(join(root, "supabase/functions/.env"), "utf8")}STRIPE_API=${stripe.url}\n`,
  );
  place = await openFolder();
  stack = await startStack(place.options, root);
  editor = { ...stack, db_url: loggedInAs(OWNER, stack.db_url as string) };
});

afterAll(async () => {
  await stack?.stop();
  await place?.drop();
  stripe?.end();
  await rm(root, { recursive: true });
});

/** Applies a guide's block to its file. */
async function follow(code: string): Promise<void> {
  const file = fileOf(code);
  if (!file) return;
  const path = join(root, file);
  await mkdir(dirname(path), { recursive: true });
  if (!file.endsWith(".toml")) return writeFile(path, code);
  let config = await readFile(path, "utf8");
  for (const [, heading] of code.matchAll(/^(\[.*\])$/gm)) {
    const at = config.indexOf(`${heading}\n`);
    if (at < 0) continue;
    const next = config.indexOf("\n[", at);
    config = config.slice(0, at) + (next < 0 ? "" : config.slice(next + 1));
  }
  await writeFile(path, `${config}\n${code}`);
}

for (const guide of guides) {
  const program = blocksOf(guide, "ts").filter(({ code }) => !fileOf(code));
  if (program.length === 0) continue;
  it(`${guide}, ts`, async () => {
    const file = join(root, `${basename(guide, ".md")}.ts`);
    await writeFile(file, aimedAt(stack, program.map(({ code }) => code).join("\n")));
    await runModule(file);
  });
}

describe("docs/guides/production.md", () => {
  const page = "docs/guides/production.md";
  const statements = blocksOf(page, "sql").filter(({ code }) => !fileOf(code));

  it("allows nobody to open a tenant, and everybody to join one", async () => {
    const register = (fields: object) =>
      call("POST", "/auth/register", {
        body: { email: `${randomUUID()}@example.com`, password: PASSWORD, ...fields },
        stack,
      });
    const refused = await register({ tenant_name: "Bazaar" });
    expectRefusal(refused, 403, "FORBIDDEN");
    expect(refused.body.error.message).toContain("opened by us");
    const { status, body } = await register({ tenant_id: TENANT });
    expect([status, body.user.role]).toEqual([201, "customer"]);
    const opened = await supabaseAs({ token: body.access_token } as Person, stack).rpc(
      "open_tenant",
      { tenant_name: "Bazaar" },
    );
    expect(opened.error?.code).toBe("42501");
    expect((await register({ tenant_id: randomUUID() })).status).toBe(404);
  });

  it("checks jobs, webhooks and queues, which are all fine at the start", async () => {
    expect(statements.length).toBeGreaterThan(4);
    for (const { code } of statements.slice(0, -1)) await query(code, [], editor);
    const answerOf = <Row>(table: string) => {
      const found = statements.find(({ code }) => code.includes(table));
      return query<Row>(found?.code as string, [], editor);
    };
    const names = ["functions_url", "secret_key"];
    const secrets = await answerOf<{ name: string }>("vault.decrypted_secrets");
    expect(secrets.map(({ name }) => name).sort()).toEqual(names);
    const jobs = await answerOf<{ failures: number }>("private.jobs_due");
    expect(jobs.length).toBeGreaterThan(20);
    expect(jobs.filter(({ failures }) => failures > 0)).toEqual([]);
    // Also on PGlite, and with the job of the guide.
    await query("update private.jobs_due set due_at = now()", [], editor);
    for (const queue of ["main", "workers", "long"]) {
      await query("call private.run_due_jobs($1)", [queue], editor);
    }
    const failed = "select name, last_error from private.jobs_due where failures > 0";
    expect(await query(failed, [], editor)).toEqual([]);
    const due = "select name from private.jobs_due where last_run_at is null";
    expect(await query(due, [], editor)).toEqual([]);
  });
});

describe("docs/guides/runbook.md", () => {
  const page = "docs/guides/runbook.md";
  const statements = blocksOf(page, "sql")
    .map(({ code }) => code)
    .filter((code) => !fileOf(code));

  it("has statements that `postgres` may run", async () => {
    expect(statements.length).toBeGreaterThan(8);
    // The one for staging comes last, because it replaces everybody's name and address.
    for (const code of statements.filter((code) => !code.startsWith("begin;"))) {
      await query(code, [], editor);
    }
  });

  it("locks an account at once", async () => {
    const body = { email: `${randomUUID()}@example.com`, password: PASSWORD, tenant_id: TENANT };
    const member = await must("POST", "/auth/register", { body, stack });
    const [locking] = statements.filter((code) => code.includes("'suspended'"));
    await query((locking as string).replaceAll("admin@example.com", body.email), [], editor);
    const refused = await call("GET", "/api/products", { as: member.access_token, stack });
    expectRefusal(refused, 403, "FORBIDDEN");
    const renewed = await call("POST", "/auth/refresh", {
      body: { refresh_token: member.refresh_token },
      stack,
    });
    expect(renewed.status).toBe(401);
  });

  it("gives an admin of a listed tenant no tenant before the second factor", async () => {
    const [listing] = statements.filter((code) => code.includes("insert into shop.second_factors"));
    const [name] = await query<{ name: string }>(
      `select name from public.tenants where id = '${TENANT}'`,
      [],
      stack,
    );
    await query((listing as string).replace("Medina", name?.name as string), [], editor);
    const logIn = (who: string) =>
      must("POST", "/auth/login", {
        body: { email: `${who}@demo.souk.test`, password: "demo-password" },
        stack,
      });
    const [admin, supplier] = [await logIn("operator"), await logIn("supplier")];
    expect(decodeJwt(supplier.access_token).tenant_id).toBe(TENANT);
    expect(decodeJwt(admin.access_token)).not.toHaveProperty("tenant_id");
    const refused = await call("GET", "/api/products", { as: admin.access_token, stack });
    expectRefusal(refused, 403, "FORBIDDEN");
    const person = { token: admin.access_token } as Person;
    expect((await supabaseAs(person, stack).from("orders").select("id")).data).toEqual([]);
    // Neither choosing the tenant nor a refreshed token leads around it.
    await supabaseAs(person, stack).rpc("switch_tenant", { tenant_id: TENANT });
    const body = { refresh_token: admin.refresh_token };
    const { access_token: renewed } = await must("POST", "/auth/refresh", { body, stack });
    expect(decodeJwt(renewed)).not.toHaveProperty("tenant_id");

    // The token that Auth would issue after the second factor.
    const event = { user_id: admin.user.id, claims: { ...decodeJwt(renewed), aal: "aal2" } };
    const [answer] = await query<{ claims: Record<string, unknown> }>(
      "select shop.access_token_hook($1::text::jsonb) -> 'claims' as claims",
      [JSON.stringify(event)],
      stack,
    );
    const as = await new SignJWT(answer?.claims)
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(stack.jwt_secret));
    expect((await call("GET", "/api/products", { as, stack })).status).toBe(200);
    await query("delete from shop.second_factors", [], editor);
    expect(decodeJwt((await logIn("operator")).access_token).tenant_id).toBe(TENANT);
  });

  it("has alerts that each name a section, and metrics that exist", () => {
    const own = metrics.map(({ metric_name }) => metric_name);
    const known = [...own, ...KNOWN_METRICS];
    for (const { alert, expr, annotations } of rules) {
      const used = metricsIn(expr);
      expect(used, alert).not.toEqual([]);
      for (const name of used) expect(known, alert).toContain(name);
      const [path, anchor] = annotations.runbook.split("#") as [string, string];
      expect(guides, alert).toContain(path);
      expect(anchorsOf(path), alert).toContain(anchor);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const all = rules.flatMap(({ expr }) => metricsIn(expr));
    for (const name of known) expect(all).toContain(name);
  });

  it("has metrics that its role can read, and nothing else", async () => {
    const client = new pg.Client({ connectionString: stack.db_url as string });
    await client.connect();
    try {
      await client.query(
        `insert into private.webhook_queue (delivery_id, tenant_id, webhook_id, due_at)
         values (gen_random_uuid(), '${TENANT}', gen_random_uuid(), now() + interval '1 hour')`,
      );
      await client.query("begin");
      await client.query("update private.webhook_queue set due_at = now() - interval '10 minutes'");
      await client.query("set local role souk_monitor");
      for (const { metric_name, key_labels = [], values, query: code } of metrics) {
        const { rows } = await client.query(code);
        expect(rows.length, metric_name).toBeGreaterThan(0);
        for (const row of rows) {
          expect(Object.keys(row).sort(), metric_name).toEqual([...key_labels, ...values].sort());
          expect(row[values[0] as string], metric_name).toBeGreaterThanOrEqual(0);
        }
        if (metric_name === "souk_webhook_wait_seconds") expect(rows[0].seconds).toBeCloseTo(600);
      }
      for (const code of [
        "select email from public.members",
        "select secret from private.webhook_secrets",
        "delete from public.mails",
      ]) {
        await client.query("savepoint refused");
        await expect(client.query(code)).rejects.toThrow("permission denied");
        await client.query("rollback to refused");
      }
      await client.query("rollback");
    } finally {
      await client.query("rollback");
      await client.query("delete from private.webhook_queue");
      await client.end();
    }
  });

  it("probes endpoints that answer", async () => {
    const keys = { souk: stack.publishable_key, "souk-jobs": stack.secret_key };
    for (const [job, apikey] of Object.entries(keys)) {
      const paths = endpointsOf(job as keyof typeof keys);
      expect(paths, job).not.toEqual([]);
      for (const path of paths) {
        const response = await fetch(stack.url + path, { headers: { apikey } });
        expect(response.status, path).toBe(200);
        if (job === "souk-jobs") expect(await response.text()).toMatch(/"status":"\w+"/);
      }
    }
  });
});

describe("docs/guides/payments.md", () => {
  const GLASS = "d0000000-0000-4000-8000-000000000014";
  const MARKETPLACE = "d0000000-0000-4000-8000-0000000000d0";
  let secret: string;
  let customer: string;
  let operator: string;

  const logIn = async (name: string): Promise<string> => {
    const body = { email: `${name}@demo.souk.test`, password: "demo-password" };
    return (await must("POST", "/auth/login", { body, stack })).access_token;
  };

  beforeAll(async () => {
    const env = await readFile(join(root, "supabase/functions/.env"), "utf8");
    secret = /^STRIPE_WEBHOOK_SECRET=(.*)$/m.exec(env)?.[1] as string;
    [customer, operator] = await Promise.all([logIn("customer"), logIn("operator")]);
  });

  /** An order of two glasses, and its customer's intent. */
  async function ordered() {
    const order = await must("POST", "/api/orders", {
      as: customer,
      stack,
      body: {
        marketplace_id: MARKETPLACE,
        items: [{ product_id: GLASS, quantity: 2, price: 6.2 }],
        shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
        delivery_method: "pickup",
      },
    });
    const { client_secret } = await pay(order.id);
    const intent = stripe.intents.get(client_secret.replace(/_secret_.*$/, ""));
    if (!intent) throw new Error("unknown intent");
    return { order, intent };
  }

  const pay = (order_id: string) =>
    must("POST", "/pay", { as: customer, body: { order_id }, stack });

  const orderOf = ({ order }: Awaited<ReturnType<typeof ordered>>) =>
    must("GET", `/api/orders/${order.id}`, { as: operator, stack });

  // biome-ignore lint/suspicious/noExplicitAny: an object of Stripe's API.
  const event = (type: string, object: any) =>
    JSON.stringify({ id: `evt_${randomUUID()}`, object: "event", type, data: { object } });

  const succeeded = ({ intent }: Awaited<ReturnType<typeof ordered>>, amount = 1240) =>
    event("payment_intent.succeeded", {
      ...{ id: intent.id, object: "payment_intent", currency: "eur" },
      ...{ amount, amount_received: amount, metadata: intent.metadata },
    });

  /** Refunds half of a payment, or fails to. The mock of Stripe stores it. */
  function refund(
    { intent }: Awaited<ReturnType<typeof ordered>>,
    status = "succeeded",
    type = "refund.created",
  ) {
    const made = {
      ...{ id: `re_${intent.id}`, object: "refund", currency: "eur", status },
      ...{ amount: 620, payment_intent: intent.id, metadata: {} },
      ...(status === "failed" && { failure_reason: "lost_or_stolen_card" }),
    };
    stripe.refunds.set(made.id, made);
    return event(type, made);
  }

  const dispute = (
    { intent }: Awaited<ReturnType<typeof ordered>>,
    status: string,
    type = "charge.dispute.closed",
    amount = 1240,
  ) =>
    event(type, {
      ...{ id: `dp_${intent.id}`, object: "dispute", currency: "eur", amount, status },
      ...{ reason: "fraudulent", payment_intent: intent.id, charge: `ch_${intent.id}` },
    });

  /** The status of an order's payment, its reports, and the first words of its notes. */
  async function moneyOf(sale: Awaited<ReturnType<typeof ordered>>) {
    const { payment_status, payments, notes } = await orderOf(sale);
    return {
      payment_status,
      reports: payments.map(({ status, amount }: Record<string, unknown>) => [status, amount]),
      notes: notes.map(({ text }: { text: string }) => text.split(" (")[0]),
    };
  }

  const now = () => Math.floor(Date.now() / 1000);
  const v1 = (body: string, time: number, key = secret) =>
    createHmac("sha256", key).update(`${time}.${body}`).digest("hex");

  /** Sends an event to the webhook as Stripe does. Returns the status. */
  async function tell(body: string, signature = `t=${now()},v1=${v1(body, now())}`) {
    const { status } = await fetch(`${stack.functions_url}/stripe-webhook`, {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
      body,
    });
    return status;
  }

  it("reports a payment once, however often Stripe sends it", async () => {
    const sale = await ordered();
    expect(sale.intent).toMatchObject({
      ...{ amount: 1240, currency: "eur", metadata: { order_id: sale.order.id } },
    });
    expect((await pay(sale.order.id)).client_secret).toBe(sale.intent.client_secret);
    const body = succeeded(sale);
    expect([await tell(body), await tell(body)]).toEqual([204, 204]);
    const { payment_status, payments } = await orderOf(sale);
    expect([payment_status, payments]).toMatchObject([
      "paid",
      [{ status: "paid", amount: 12.4, reference: sale.intent.id }],
    ]);
    await expect(pay(sale.order.id)).rejects.toThrow("409");
  });

  it("accepts only events that Stripe has signed", async () => {
    const sale = await ordered();
    const body = succeeded(sale);
    const time = now();
    const right = v1(body, time);
    const forged = {
      none: "",
      "of another secret": `t=${time},v1=${v1(body, time, "whsec_stranger")}`,
      "of another body": `t=${time},v1=${v1(`${body} `, time)}`,
      "of another time": `t=${time - 1},v1=${right}`,
      "without a time": `v1=${right}`,
      "with a time that is none": `t=now,v1=${right}`,
      "cut short": `t=${time},v1=${right.slice(0, -2)}`,
      "of another version": `t=${time},v0=${right}`,
      "six minutes old": `t=${time - 360},v1=${v1(body, time - 360)}`,
      "of in six minutes": `t=${time + 360},v1=${v1(body, time + 360)}`,
    };
    const answered: Record<string, number> = {};
    for (const [what, signature] of Object.entries(forged)) {
      answered[what] = await tell(body, signature);
    }
    expect(answered).toEqual(Object.fromEntries(Object.keys(forged).map((what) => [what, 400])));
    expect((await orderOf(sale)).payment_status).toBe("pending");
    // While a secret is rolled, Stripe signs with both.
    const rolled = `t=${time},v1=${v1(body, time, "whsec_next")},v1=${right},v0=00`;
    expect(await tell(body, rolled)).toBe(204);
    expect((await orderOf(sale)).payment_status).toBe("paid");
  });

  it("lets a refund wait for its payment, and ignores payments without an order", async () => {
    const sale = await ordered();
    expect(await tell(refund(sale, "pending"))).toBe(204);
    const given = refund(sale);
    expect(await tell(given)).toBe(503);
    expect(await tell(event("charge.succeeded", {}))).toBe(204);
    expect(await tell(event("payment_intent.succeeded", { metadata: {}, currency: "eur" }))).toBe(
      204,
    );
    expect(await tell(succeeded(sale))).toBe(204);
    expect([await tell(given), await tell(refund(sale))]).toEqual([204, 204]);
    const { payment_status, payments, notes } = await orderOf(sale);
    expect(payments.map(({ status, amount }: Record<string, unknown>) => [status, amount])).toEqual(
      [
        ["paid", 12.4],
        ["refunded", 6.2],
      ],
    );
    expect([payment_status, notes]).toEqual(["paid", []]);
  });

  it("undoes a failed refund, in any sequence of Stripe's events, and adds a note to the order", async () => {
    const sale = await ordered();
    expect(await tell(succeeded(sale))).toBe(204);
    const given = refund(sale);
    expect(await tell(given)).toBe(204);
    for (const type of ["refund.failed", "refund.updated"]) {
      expect(await tell(refund(sale, "failed", type))).toBe(204);
    }
    expect(await moneyOf(sale)).toEqual({
      payment_status: "paid",
      reports: [
        ["paid", 12.4],
        ["refunded", 6.2],
        ["refund_failed", 6.2],
      ],
      notes: ["Stripe could not give back 6.2"],
    });

    // The failure arrives before the success.
    const other = await ordered();
    expect(await tell(succeeded(other))).toBe(204);
    const late = refund(other);
    expect(await tell(refund(other, "failed", "refund.failed"))).toBe(204);
    expect(await tell(late)).toBe(204);
    expect(await moneyOf(other)).toEqual({
      payment_status: "paid",
      reports: [["paid", 12.4]],
      notes: ["Stripe could not give back 6.2"],
    });
  });

  it("reverses the payment after a lost dispute; the order can be paid again", async () => {
    const sale = await ordered();
    const opened = dispute(sale, "needs_response", "charge.dispute.created");
    expect(await tell(dispute(sale, "lost"))).toBe(503);
    expect(await tell(succeeded(sale))).toBe(204);
    expect([await tell(opened), await tell(opened)]).toEqual([204, 204]);
    expect(await tell(dispute(sale, "lost", "charge.dispute.closed", 100))).toBe(204);
    expect((await moneyOf(sale)).payment_status).toBe("paid");
    const closed = dispute(sale, "lost");
    expect([await tell(closed), await tell(closed)]).toEqual([204, 204]);
    expect(await tell(dispute(sale, "under_review", "charge.dispute.updated"))).toBe(204);
    const { payment_status, reports, notes } = await moneyOf(sale);
    expect([payment_status, reports]).toEqual([
      "failed",
      [
        ["paid", 12.4],
        ["payment_reversed", 12.4],
      ],
    ]);
    expect(notes[0]).toContain("disputes");
    expect(notes.at(-1)).toContain("took back money");
    // The first intent is used up.
    const again = (await pay(sale.order.id)).client_secret.replace(/_secret_.*$/, "");
    expect(again).not.toBe(sale.intent.id);
    const intent = stripe.intents.get(again);
    if (!intent) throw new Error("unknown intent");
    expect(await tell(succeeded({ ...sale, intent }))).toBe(204);
    expect((await moneyOf(sale)).payment_status).toBe("paid");
    expect(await tell(dispute({ ...sale, intent }, "won"))).toBe(204);
    expect((await moneyOf(sale)).payment_status).toBe("paid");
  });

  it("adds a note to the order for permanent refusals, and asks Stripe to retry all others", async () => {
    const late = await ordered();
    const failed = event("payment_intent.payment_failed", {
      ...{ id: late.intent.id, currency: "eur", amount: 1240, metadata: late.intent.metadata },
    });
    expect([await tell(failed), await tell(failed)]).toEqual([204, 204]);
    expect((await orderOf(late)).payment_status).toBe("failed");
    await must("PATCH", `/api/orders/${late.order.id}/status`, {
      as: customer,
      body: { status: "cancelled" },
      stack,
    });
    const body = succeeded(late);
    expect([await tell(body), await tell(body)]).toEqual([204, 204]);
    const { payment_status, notes } = await orderOf(late);
    expect(payment_status).toBe("failed");
    expect(notes).toMatchObject([{ visibility: "internal" }]);
    expect(notes[0].text).toContain(`paid, 12.4 (${late.intent.id})`);

    const other = await ordered();
    const members = () => supabaseAsService(stack).from("members");
    const suspend = (status: string) =>
      members().update({ status }).eq("user_id", DEMO_KEY).throwOnError();
    await suspend("suspended");
    const paid = succeeded(other);
    expect(await tell(paid)).toBe(503);
    await suspend("active");
    expect(await tell(paid)).toBe(204);
    expect((await orderOf(other)).payment_status).toBe("paid");
  });
});

/** The tables with a text that contains one of `words`. */
async function tablesWith(words: string[], client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace::regnamespace::text in ('public', 'private', 'auth', 'shop')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ found: boolean }>(
      `select exists (select from ${name} t where t::text ilike any ($1)) as found`,
      [words.map((word) => `%${word}%`)],
    );
    if (rows[0]?.found) found.push(name);
  }
  return found.sort();
}

it("replaces everything that names a person for staging", async () => {
  const words = ["Ada Lovelace", "ada@example.org", "7 Byron Street", "Ring twice"];
  const body = { email: words[1], name: words[0], password: PASSWORD, tenant_id: TENANT };
  const { access_token: as } = await must("POST", "/auth/register", { body, stack });
  const order = await must("POST", "/api/orders", {
    as,
    stack,
    body: {
      marketplace_id: "d0000000-0000-4000-8000-0000000000d0",
      items: [{ product_id: "d0000000-0000-4000-8000-000000000014", quantity: 1, price: 6.2 }],
      shipping_address: { street: words[2], city: "Fez", postal_code: "30000" },
      delivery_method: "pickup",
      contact: { email: words[1], name: words[0] },
    },
  });
  await must("POST", `/api/orders/${order.id}/notes`, { as, body: { text: words[3] }, stack });
  const people = [...words, "@demo.souk.test"];
  const [replacing] = blocksOf("docs/guides/runbook.md", "sql").filter(({ code }) =>
    code.startsWith("begin;"),
  );
  const client = new pg.Client({ connectionString: editor.db_url as string });
  await client.connect();
  try {
    expect((await tablesWith(people, client)).length).toBeGreaterThan(5);
    // One after the other, as the dashboard's editor sends them; the last one is `commit`.
    for (const code of (replacing?.code as string).split(/;\n+/).slice(0, -2)) {
      await client.query(code);
    }
    expect(await tablesWith(people, client)).toEqual([]);
  } finally {
    await client.query("rollback");
    await client.end();
  }
});

it("removes the demo's tenant with all its data at the end", async () => {
  const [removal] = blocksOf("docs/guides/production.md", "sql").slice(-1);
  await query(removal?.code as string, [], editor);
  const [left] = await query<Record<string, string>>(
    `select
      (select count(*) from public.orders o where o.tenant_id = '${TENANT}') as orders,
      (select count(*) from public.events e where e.tenant_id = '${TENANT}') as events,
      (select count(*) from auth.users u where u.email like '%@demo.souk.test') as accounts`,
    [],
    stack,
  );
  expect(left).toEqual({ orders: "0", events: "0", accounts: "0" });
});
