import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { doBusiness } from "../orders/ordering.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  type Person,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
  UNBOUNDED,
} from "../souk.js";
import { approveMail, type Mail, mailsOf, messagesTo, sentMail } from "./mailbox.js";

// How many mails a tenant and strangers may cause, what they may contain, and when a tenant's mail is paused.

let testTenant: TestTenant;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let product: any;

const FULL = "This address has had too many mails this hour.";
const UNAPPROVED = expect.stringContaining("approved");

beforeAll(async () => {
  testTenant = await openTestTenant();
  await doBusiness(testTenant, UNBOUNDED);
  product = await listProduct(testTenant.supplier, { inventory: { quantity: 10_000 } });
});

const address = () => `${randomUUID()}@example.com`;
const service = () => supabaseAsService();

/** Writes mails to these addresses, each with its own cause. */
const write = (tenantId: string, addresses: string[], template = "order_cancelled") =>
  query(
    `select private.write_mail($1, gen_random_uuid(), $2, array[private.recipient($2, a, '', null, null)], '{}')
     from unnest($3::text[]) as a`,
    [template, tenantId, addresses],
  );

/** The mails of a query after none of them waits any more. */
const ended = (operator: Person, filter: string, length: number): Promise<Mail[]> =>
  eventually(async () => {
    const mails = await mailsOf(operator, `limit=1000&${filter}`);
    expect(mails).toHaveLength(length);
    for (const { status } of mails) expect(["success", "failed", "suppressed"]).toContain(status);
    return mails;
  });

const place = (as: Person, email: string, of = product) =>
  must("POST", "/api/orders", { as, body: orderFor(of, 1, { contact: { email } }) });

const countOf = (mails: Mail[], status: string) =>
  mails.filter((mail) => mail.status === status).length;

describe("a new tenant", () => {
  it("sends at most 50 mails a day, and places all orders", async () => {
    const { operator, tenantId } = testTenant;
    const guest = await openGuest(testTenant.marketplace);
    const sentBefore = (await ended(operator, "", 3)).length;
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          n % 2
            ? place(guest, address())
            : supabaseAs(guest)
                .rpc("place_order", orderFor(product, 1, { contact: { email: address() } }))
                .throwOnError(),
        ),
      );
    }
    const mails = await ended(operator, "template=order_placed", 60);
    expect(countOf(mails, "success")).toBe(50 - sentBefore);
    const refused = mails.filter(({ status }) => status === "suppressed");
    expect(refused).toHaveLength(10 + sentBefore);
    for (const { error, to } of refused) {
      expect(error).toContain("50 mails of today");
      expect(await messagesTo(to)).toEqual([]);
    }
    expect((await must("GET", "/api/orders?limit=1", { as: guest })).total).toBe(60);

    // The owner of the project raises the bound, for this tenant only.
    await service()
      .rpc("set_mails_per_day", { tenant_id: tenantId, mails_per_day: 52 })
      .throwOnError();
    await write(tenantId, [address(), address(), address()], "payment_failed");
    const more = await ended(operator, "template=payment_failed", 3);
    expect([countOf(more, "success"), countOf(more, "suppressed")]).toEqual([2, 1]);
  });

  it("sends no more than that when several dispatchers take its mails at once", async () => {
    const { operator, tenantId } = await openTestTenant();
    await ended(operator, "", 3);
    await write(tenantId, Array.from({ length: 100 }, address));
    await Promise.all(
      Array.from({ length: 4 }, () => service().rpc("lease_mails", { batch: 25 }).throwOnError()),
    );
    // These four send nothing, and may have locked what the stack's own dispatcher looked for. The job wakes it again.
    await runJob("wake-workers");
    await eventually(async () => {
      const mails = await mailsOf(operator, "limit=1000&status=suppressed");
      expect(mails).toHaveLength(53);
    });
    const [{ counted }] = (await query(
      `select count(*)::integer as counted from private.jobs q where q.queue = 'mails' and q.tenant_id = $1 and not q.is_counted`,
      [tenantId],
    )) as [{ counted: number }];
    expect(counted).toBe(0);
  });

  it("sends at most 10 mails of one event, the built-in ones first, and tells its members beside them", async () => {
    const { operator, tenantId, supplier, marketplace } = await openTestTenant();
    await approveMail({ tenantId });
    const ware = await listProduct(supplier);
    for (let n = 0; n < 12; n++) {
      await must("POST", "/api/email-templates", {
        as: operator,
        body: {
          key: `own_${n}`,
          ...{ name: "Own", subject: "Own", html_content: "<p>Own</p>" },
          trigger_events: ["order.created"],
        },
      });
    }
    const email = address();
    await place(await openGuest(marketplace), email, ware);
    const mails = await ended(operator, `to=${email}`, 13);
    expect(countOf(mails, "success")).toBe(10);
    for (const { status, error, template } of mails) {
      if (status === "success") continue;
      expect(error).toContain("10 mails of one event");
      expect(template).toMatch(/^own_/);
    }
    for (const [member, kind] of [
      [supplier.email, "supplier_order_placed"],
      [operator.email, "operator_order_placed"],
    ]) {
      const told = await ended(operator, `to=${member}&template=${kind}`, 1);
      expect(told).toMatchObject([{ status: "success" }]);
    }
  });
});

describe("an address", () => {
  it("gets at most 20 mails an hour of all tenants, however it is written", async () => {
    const other = await openTestTenant();
    const shops = [await openTestTenant(), other];
    const email = address();
    const tagged = email.replace("@", "+shop@");
    await Promise.all(
      shops.map(({ tenantId }) =>
        write(
          tenantId,
          Array.from({ length: 15 }, (_, n) => (n % 2 ? email : tagged)),
        ),
      ),
    );
    const mails = (
      await Promise.all(
        shops.map(({ operator }) => ended(operator, "template=order_cancelled", 15)),
      )
    ).flat();
    expect(countOf(mails, "success")).toBe(20);
    for (const { status, error } of mails) {
      if (status !== "success") expect([status, error]).toEqual(["suppressed", FULL]);
    }
    expect([...(await messagesTo(email)), ...(await messagesTo(tagged))]).toHaveLength(20);
    // Neither the address nor a hash without a key is kept for counting.
    const kept = await query(
      `select from private.mail_counts c
       where c.subject in (convert_to($1, 'utf8'), sha256(convert_to($1, 'utf8')))`,
      [email],
    );
    expect(kept).toEqual([]);
  });

  it("of a member has a bound of its own for orders, which leaves room for all other mails", async () => {
    const { operator, tenantId } = await openTestTenant();
    const member = address();
    const tell = (count: number, toMember: boolean) =>
      query(
        `select private.write_mails(array(
           select row($1::uuid, 'order_cancelled', gen_random_uuid(), null, null,
             private.recipient($1, $2, '', null, null), '{}', false, false, $4::boolean, null)::private.new_mail
           from generate_series(1, $3)
         ))`,
        [tenantId, member, count, toMember],
      );
    await service()
      .rpc("set_mails_per_day", { tenant_id: tenantId, mails_per_day: 1000 })
      .throwOnError();
    await tell(102, true);
    const told = await ended(operator, "template=order_cancelled", 102);
    expect(countOf(told, "success")).toBe(100);
    await tell(20, false);
    const all = await ended(operator, "template=order_cancelled", 122);
    expect(countOf(all, "success")).toBe(120);
    for (const { error } of all.filter(({ status }) => status !== "success")) {
      expect(error).toBe(FULL);
    }
  });

  it("gets mails of one unpaid order an hour, and of paid orders", async () => {
    const { operator, marketplace, supplier } = await openTestTenant();
    const ware = await listProduct(supplier);
    const guest = await openGuest(marketplace);
    const email = address();
    const first = await place(guest, email, ware);
    await sentMail(operator, `to=${email}`);
    const second = await place(guest, email, ware);
    await must("PUT", `/api/orders/${second.id}/status`, {
      as: guest,
      body: { status: "cancelled" },
    });
    const mails = await ended(operator, `to=${email}`, 3);
    expect(countOf(mails, "success")).toBe(1);
    for (const { status, error } of mails) {
      if (status !== "success") expect([status, error]).toEqual(["suppressed", FULL]);
    }

    // Another tenant learns no more than that.
    const other = await openTestTenant();
    const theirs = await listProduct(other.supplier);
    await place(await openGuest(other.marketplace), email, theirs);
    expect(await sentMail(other.operator, `to=${email}`)).toMatchObject({
      status: "suppressed",
      error: FULL,
    });

    // What the shop itself does with the order is told.
    await must("POST", `/api/orders/${first.id}/payments`, {
      as: operator,
      body: { status: "paid", amount: first.total_amount, reference: randomUUID() },
    });
    for (const status of ["confirmed", "processing", "shipped"]) {
      await must("PUT", `/api/orders/${first.id}/status`, { as: operator, body: { status } });
    }
    expect(await sentMail(operator, `to=${email}&template=order_shipped`)).toMatchObject({
      status: "success",
    });
  });
});

describe("a tenant that is not approved", () => {
  it("sends built-in mails in place of its own, and says why", async () => {
    const { operator, tenantId, marketplace, supplier } = await openTestTenant();
    const ware = await listProduct(supplier);
    const guest = await openGuest(marketplace);
    const own = (body: object) =>
      must("POST", "/api/email-templates", {
        as: operator,
        body: { name: "Own", subject: "Own", html_content: "<p>Buy pills</p>", ...body },
      });
    const { id } = await own({ key: "order_placed" });
    await own({ key: "pills", trigger_events: ["order.created"] });
    expect(await must("GET", "/api/tenant", { as: operator })).toMatchObject({
      mail_status: "new",
      mail_paused_at: null,
    });

    const email = address();
    await place(guest, email, ware);
    expect(await sentMail(operator, `to=${email}&template=order_placed`)).toMatchObject({
      status: "success",
      subject: expect.not.stringContaining("Own"),
      error: UNAPPROVED,
    });
    expect(await sentMail(operator, `to=${email}&template=pills`)).toMatchObject({
      status: "suppressed",
      error: UNAPPROVED,
    });
    await must("POST", `/api/email-templates/${id}/test`, { as: operator, body: {} });
    const tests = `to=${operator.email}&template=order_placed`;
    expect(await sentMail(operator, tests)).toMatchObject({
      status: "suppressed",
      error: UNAPPROVED,
    });

    await approveMail({ tenantId });
    expect(await must("GET", "/api/tenant", { as: operator })).toMatchObject({
      mail_status: "approved",
    });
    const later = address();
    await place(guest, later, ware);
    for (const template of ["order_placed", "pills"]) {
      expect(await sentMail(operator, `to=${later}&template=${template}`)).toMatchObject({
        status: "success",
        subject: "Own",
        error: null,
      });
    }
  });

  it("cannot approve itself, raise its bound or resume its mail", async () => {
    const { operator: as, tenantId: tenant_id } = testTenant;
    const db = supabaseAs(as);
    for (const { error } of [
      await db.rpc("set_mail_status", { tenant_id, status: "approved" }),
      await db.rpc("set_mails_per_day", { tenant_id, mails_per_day: 1000 }),
      await db.rpc("resume_mail", { tenant_id }),
      await db.from("tenants").update({ mail_status: "approved" }).eq("id", tenant_id),
      await db.from("tenants").update({ mail_paused_at: null }).eq("id", tenant_id),
    ]) {
      expect(error?.code).toBe("42501");
    }
    for (const changes of [{ mail_status: "approved" }, { mail_paused_at: null }]) {
      const { error } = await db.rpc("update_tenant", { changes });
      expect(error?.message).toBe("VALIDATION_ERROR");
    }
    const unknown = { tenant_id: randomUUID() };
    for (const { error } of [
      await service().rpc("set_mail_status", { ...unknown, status: "approved" }),
      await service().rpc("set_mails_per_day", { ...unknown, mails_per_day: 5 }),
      await service().rpc("resume_mail", unknown),
    ]) {
      expect(error?.message).toBe("NOT_FOUND");
    }
  });
});

describe("the mail of a tenant", () => {
  /** Reports that the provider makes about the last mails of a tenant, in parallel. */
  async function report(tenantId: string, mails: Mail[]) {
    await Promise.all(
      mails.map(async ({ id, to }, n) => {
        const provider_id = randomUUID();
        await query("update public.mails set provider_id = $1 where id = $2", [provider_id, id]);
        const reason = n % 2 ? "bounce" : "complaint";
        for (let time = 0; time < 2; time++) {
          const { data } = await service().rpc("report_mail", { provider_id, email: to, reason });
          expect(data, tenantId).toBe(true);
        }
      }),
    );
  }

  it("is paused when more than 5 of the last 100 bounce or are complained about, until it is resumed", async () => {
    const { operator, tenantId } = await openTestTenant();
    await write(tenantId, Array.from({ length: 12 }, address));
    const mails = await ended(operator, "template=order_cancelled", 12);
    const pausedAt = async () =>
      (await must("GET", "/api/tenant", { as: operator })).mail_paused_at;
    // A mail that is reported twice counts once.
    await report(tenantId, mails.slice(0, 5));
    expect(await pausedAt()).toBeNull();
    await report(tenantId, mails.slice(5, 7));
    expect(await pausedAt()).not.toBeNull();

    const email = address();
    await write(tenantId, [email]);
    const refused = await sentMail(operator, `to=${email}`);
    expect(refused).toMatchObject({ status: "failed", error: expect.stringContaining("paused") });
    expect(await messagesTo(email)).toEqual([]);

    await service().rpc("resume_mail", { tenant_id: tenantId }).throwOnError();
    expect(await pausedAt()).toBeNull();
    await must("POST", `/api/mails/${refused.id}/retry`, { as: operator });
    await eventually(async () =>
      expect(await sentMail(operator, `to=${email}`)).toMatchObject({ status: "success" }),
    );
    // Reports of mails from before do not pause it again.
    await report(tenantId, mails.slice(7));
    expect(await pausedAt()).toBeNull();
  });

  it("is paused by addresses that the mail server does not know", async () => {
    const { operator, tenantId } = await openTestTenant();
    await ended(operator, "", 3);
    const leases = await query<{ id: string; lease: string }>(
      `with written as (
         insert into public.mails (tenant_id, template, cause_id, "to", next_attempt_at)
         select $1, 'order_cancelled', gen_random_uuid(), 'gone-' || n || '-' || $2 || '@example.com', now() + interval '1 hour'
         from generate_series(1, 6) as n
         returning id
       )
       select w.id, gen_random_uuid() as lease from written w`,
      [tenantId, randomUUID()],
    );
    await Promise.all(
      leases.map(async ({ id, lease }) => {
        await query(
          "update private.jobs set lease = $2, leased_until = now() + interval '1 minute' where subject_id = $1",
          [id, lease],
        );
        const error = "550 5.1.1 no such user";
        const outcome = { outcome: "permanent", error, address_gone: true };
        await service()
          .rpc("record_mail", { id, lease, ...outcome })
          .throwOnError();
      }),
    );
    const { mail_paused_at } = await must("GET", "/api/tenant", { as: operator });
    expect(mail_paused_at).not.toBeNull();
  });
});

it("refuses a retry of a mail beyond a bound", async () => {
  const { operator } = testTenant;
  const [refused] = await mailsOf(operator, "status=suppressed&limit=1");
  const answer = await call("POST", `/api/mails/${refused.id}/retry`, { as: operator });
  expectRefusal(answer, 409, "CONFLICT");
});
