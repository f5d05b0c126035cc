import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import {
  type Bazaar,
  call,
  expectRefusal,
  listProduct,
  marketplaceWish,
  must,
  openBazaar,
  openGuest,
  orderFor,
  PASSWORD,
  type Person,
  register,
  supabaseAs,
} from "../souk.js";

let bazaar: Bazaar;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let product: any;

beforeAll(async () => {
  bazaar = await openBazaar();
  product = await listProduct(bazaar.supplier, { inventory: { quantity: 1000 } });
});

const contact = { email: "Gil@Example.com", name: "Gil", phone: "+212 5 35 00" };

const order = (as: Person, wish: object = {}) =>
  call("POST", "/api/orders", { as, body: orderFor(product, 1, wish) });

const newAccount = () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD });

/** What the tenant's events tell of a user. */
async function eventsAbout(user: Person) {
  const { data } = await supabaseAs(bazaar.operator)
    .from("events")
    .select("name, payload")
    .order("created_at")
    .throwOnError();
  return data
    .filter(({ payload }) => payload.data.user?.id === user.id)
    .map(({ name, payload }) => ({ event: name, ...payload.data.user }));
}

describe("a storefront", () => {
  it("shows an active marketplace's public face to whoever asks, and may be kept for a minute", async () => {
    const { id, tenant_id, domain, ...site } = bazaar.marketplace;
    const shown = {
      ...Object.fromEntries(
        ["name", "description", "category", "currency", "language"].map((key) => [key, site[key]]),
      ),
      ...{ id, tenant_id, domain, languages: ["en"], branding: {}, seo: {}, guest_checkout: true },
    };
    const answer = await call("GET", `/api/storefront?domain=${domain.toUpperCase()}`);
    expect(answer.body).toEqual(shown);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
    const { data } = await supabaseAs().rpc("storefront", { domain });
    expect(data).toEqual(shown);
  });

  it("tells its branding and SEO, and nothing of its business but whether guests may order", async () => {
    const made = await must("POST", "/api/marketplaces", {
      as: bazaar.operator,
      body: marketplaceWish({
        settings: {
          branding: { colors: { primary: "#112233" } },
          seo: { title: "Spices of Fez" },
          business: { commission_percent: 12, guest_checkout: false },
        },
      }),
    });
    const path = `/api/storefront?domain=${made.domain}`;
    // A draft is nobody's to see.
    expectRefusal(await call("GET", path), 404, "NOT_FOUND");
    const change = (status: string) =>
      must("PUT", `/api/marketplaces/${made.id}`, { as: bazaar.operator, body: { status } });
    await change("active");
    const { body } = await call("GET", path);
    expect(body).toMatchObject({
      branding: { colors: { primary: "#112233" } },
      seo: { title: "Spices of Fez" },
      guest_checkout: false,
    });
    expect(JSON.stringify(body)).not.toContain("commission");
    await change("inactive");
    expectRefusal(await call("GET", path), 404, "NOT_FOUND");
    const { error } = await supabaseAs().rpc("storefront", { domain: made.domain });
    expect(error).toMatchObject({ message: "NOT_FOUND" });
  });

  it.each([
    "",
    "?domain=",
    "?domain=a%20b",
    "?host=x.example.com",
  ])("is refused for %j", async (asked) => {
    expectRefusal(await call("GET", `/api/storefront${asked}`), 422, "VALIDATION_ERROR");
  });
});

describe("a guest", () => {
  it("is a customer of the marketplace's tenant, by its domain or its id", async () => {
    for (const marketplace of [bazaar.marketplace.domain, bazaar.marketplace.id]) {
      const { status, body } = await call("POST", "/auth/guest", { body: { marketplace } });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        access_token: expect.any(String),
        refresh_token: expect.any(String),
      });
      expect(body.user).toEqual({
        id: body.user.id,
        email: null,
        name: "",
        role: "customer",
        tenant_id: bazaar.tenantId,
        is_anonymous: true,
      });
      const me = await must("GET", "/auth/me", { as: body.access_token });
      expect(me).toMatchObject({ user: body.user, customer_id: expect.any(String) });
      const found = await must("GET", "/api/products", { as: body.access_token });
      expect(found.products.map(({ id }: { id: string }) => id)).toContain(product.id);
    }
  });

  it("is the same by signInAnonymously", async () => {
    const supabase = supabaseAs();
    const { data, error } = await supabase.auth.signInAnonymously({
      options: { data: { marketplace: bazaar.marketplace.domain } },
    });
    expect(error).toBeNull();
    const me = await must("GET", "/auth/me", { as: data.session?.access_token as string });
    expect(me.user).toMatchObject({ tenant_id: bazaar.tenantId, is_anonymous: true });
  });

  it("has to name a marketplace that is open, and nothing else", async () => {
    const draft = await must("POST", "/api/marketplaces", {
      as: bazaar.operator,
      body: marketplaceWish(),
    });
    for (const marketplace of [draft.id, draft.domain, randomUUID(), "nowhere.example.com"]) {
      const answer = await call("POST", "/auth/guest", { body: { marketplace } });
      expectRefusal(answer, 404, "NOT_FOUND", { field: "marketplace", value: marketplace });
    }
    const before = await query("select count(*) from auth.users where is_anonymous");
    const { marketplace } = bazaar;
    for (const data of [
      {},
      { marketplace: draft.id },
      { tenant_name: "Mine" },
      { marketplace: marketplace.id, tenant_name: "Mine" },
      { marketplace: marketplace.id, tenant_id: bazaar.tenantId, role: "supplier" },
    ]) {
      const { error } = await supabaseAs().auth.signInAnonymously({ options: { data } });
      expect([404, 422]).toContain(error?.status);
    }
    expect(await query("select count(*) from auth.users where is_anonymous")).toEqual(before);
  });

  it("opens and joins no other tenant", async () => {
    const guest = await openGuest(bazaar.marketplace);
    const other = await register({ tenant_name: "Next door" });
    for (const body of [{ tenant_name: "Mine" }, { tenant_id: other.tenantId }]) {
      expectRefusal(await call("POST", "/auth/tenants", { as: guest, body }), 403, "FORBIDDEN");
    }
    const { error } = await supabaseAs(guest).rpc("open_tenant", { tenant_name: "Mine" });
    expect(error).toMatchObject({ message: "FORBIDDEN" });
  });

  it("is told of by no event, and among members apart", async () => {
    const guest = await openGuest(bazaar.marketplace);
    const members = async (is_anonymous: boolean) => {
      const path = `/api/members?limit=1000&is_anonymous=${is_anonymous}`;
      const { members } = await must("GET", path, { as: bazaar.operator });
      return members.map(({ user_id }: { user_id: string }) => user_id);
    };
    expect(await members(true)).toContain(guest.id);
    expect(await members(false)).not.toContain(guest.id);
    expect(await eventsAbout(guest)).toEqual([]);
  });

  it("comes 30 times in an hour from an address, and not once more", async () => {
    const visit = (address: string) =>
      call("POST", "/auth/guest", {
        body: { marketplace: bazaar.marketplace.id },
        headers: { "cf-connecting-ip": address },
      });
    const address = "203.0.113.31";
    const first = await Promise.all(Array.from({ length: 35 }, () => visit(address)));
    expect(first.filter(({ status }) => status === 201)).toHaveLength(30);
    const refused = await visit(address);
    expectRefusal(refused, 429, "RATE_LIMITED");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(3600);
    expect((await visit("203.0.113.32")).status).toBe(201);
    // A minute later it is still the same hour.
    await query(
      "delete from private.request_counts where minute < date_trunc('minute', now()) and subject not like 'guest:%'",
    );
    expect((await visit(address)).status).toBe(429);
  });
});

describe("a guest's order", () => {
  it("says who is told of it", async () => {
    const guest = await openGuest(bazaar.marketplace);
    expectRefusal(await order(guest), 422, "VALIDATION_ERROR", { field: "contact" });
    const { error } = await supabaseAs(guest).rpc("place_order", orderFor(product));
    expect(error).toMatchObject({ message: "VALIDATION_ERROR" });
    for (const [wrong, field] of [
      [{}, "contact.email"],
      [{ email: "nobody" }, "contact.email"],
      [{ email: "a@b.example", phone: "" }, "contact.phone"],
      [{ email: "a@b.example", name: "x".repeat(201) }, "contact.name"],
      [{ email: "a@b.example", fax: "1" }, "contact.fax"],
    ] as const) {
      expectRefusal(await order(guest, { contact: wrong }), 422, "VALIDATION_ERROR", { field });
      const { error } = await supabaseAs(guest).rpc("place_order", {
        ...orderFor(product),
        contact: wrong,
      });
      expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ field });
    }
    const placed = await order(guest, { contact });
    expect(placed.status).toBe(201);
    expect(placed.body.contact).toEqual({ ...contact, email: "gil@example.com" });
    const read = await must("GET", `/api/orders/${placed.body.id}`, { as: bazaar.operator });
    expect(read.contact).toEqual(placed.body.contact);
  });

  it("is nobody else's: no other guest's, and none of those who register with its address", async () => {
    const guest = await openGuest(bazaar.marketplace);
    const account = newAccount();
    const { body } = await order(guest, { contact: { email: account.email } });
    const stranger = await must("POST", "/auth/register", {
      body: { ...account, tenant_id: bazaar.tenantId },
    });
    for (const as of [
      await openGuest(bazaar.marketplace),
      bazaar.customer,
      stranger.access_token,
    ]) {
      expectRefusal(await call("GET", `/api/orders/${body.id}`, { as }), 404, "NOT_FOUND");
    }
  });

  it("is refused where the marketplace takes none, and customers order there all the same", async () => {
    const closed = await openBazaar();
    await must("PUT", `/api/marketplaces/${closed.marketplace.id}`, {
      as: closed.operator,
      body: { settings: { business: { guest_checkout: false } } },
    });
    const goods = await listProduct(closed.supplier);
    const guest = await openGuest(closed.marketplace);
    const wish = orderFor(goods, 1, { contact });
    expectRefusal(await call("POST", "/api/orders", { as: guest, body: wish }), 403, "FORBIDDEN");
    const { error } = await supabaseAs(guest).rpc("place_order", wish);
    expect(error).toMatchObject({ message: "FORBIDDEN" });
    await must("POST", "/api/orders", { as: closed.customer, body: wish });
  });
});

describe("a guest who registers", () => {
  it("stays the same user with the same orders, and is told of as registered", async () => {
    const guest = await openGuest(bazaar.marketplace);
    const { body: placed } = await order(guest, { contact });
    const account = newAccount();
    const { status, body } = await call("POST", "/auth/register", {
      as: guest,
      body: { ...account, name: "Gil" },
    });
    expect(status).toBe(201);
    expect(body.user).toEqual({
      id: guest.id,
      email: account.email,
      name: "Gil",
      role: "customer",
      tenant_id: bazaar.tenantId,
      is_anonymous: false,
    });
    const { access_token } = await must("POST", "/auth/login", { body: account });
    for (const as of [body.access_token, access_token]) {
      expect((await must("GET", `/api/orders/${placed.id}`, { as })).id).toBe(placed.id);
    }
    // No guest any more: nobody asks for a contact.
    expect(
      (await call("POST", "/api/orders", { as: access_token, body: orderFor(product) })).status,
    ).toBe(201);
    expect(await eventsAbout(guest)).toMatchObject([
      { event: "user.registered", email: account.email, role: "customer", email_verified: false },
      { event: "user.verified", email: account.email, role: "customer", email_verified: true },
    ]);
    const members = await must("GET", `/api/members?email=${account.email}`, {
      as: bazaar.operator,
    });
    expect(members.members).toMatchObject([
      { user_id: guest.id, is_anonymous: false, name: "Gil" },
    ]);
  });

  it("does so by updateUser, too", async () => {
    const supabase = supabaseAs();
    await supabase.auth.signInAnonymously({
      options: { data: { marketplace: bazaar.marketplace.id } },
    });
    const { data, error } = await supabase.auth.updateUser(newAccount());
    expect(error).toBeNull();
    const path = `/api/members/${data.user?.id}`;
    expect(await must("GET", path, { as: bazaar.operator })).toMatchObject({
      email: data.user?.email,
      is_anonymous: false,
    });
  });

  it("does so once: who repeats it with the guest's token changes nothing of the account", async () => {
    const guest = await openGuest(bazaar.marketplace);
    const account = newAccount();
    const again = (body: object) => call("POST", "/auth/register", { as: guest, body });
    await must("POST", "/auth/register", { as: guest, body: account });
    expectRefusal(await again(account), 409, "CONFLICT");
    expectRefusal(await again({ ...account, password: `${PASSWORD} anew` }), 409, "CONFLICT");
    expectRefusal(await again(newAccount()), 409, "CONFLICT");
    const { user } = await must("POST", "/auth/login", { body: account });
    expect(user).toMatchObject({ id: guest.id, email: account.email });

    const twice = await openGuest(bazaar.marketplace);
    const wish = newAccount();
    const answers = await Promise.all(
      [1, 2, 3].map(() => call("POST", "/auth/register", { as: twice, body: wish })),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect((await must("POST", "/auth/login", { body: wish })).user.id).toBe(twice.id);
  });

  it("says neither tenant nor role, and takes nobody's address", async () => {
    const guest = await openGuest(bazaar.marketplace);
    for (const surplus of [
      { tenant_id: bazaar.tenantId },
      { role: "supplier" },
      { tenant_name: "Mine" },
      { invitation: "a token" },
    ]) {
      const answer = await call("POST", "/auth/register", {
        as: guest,
        body: { ...newAccount(), ...surplus },
      });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: Object.keys(surplus)[0] });
    }
    const taken = await call("POST", "/auth/register", {
      as: guest,
      body: { email: bazaar.customer.email, password: PASSWORD },
    });
    expectRefusal(taken, 409, "CONFLICT", { field: "email" });
    expect(await must("GET", "/auth/me", { as: guest })).toMatchObject({
      user: { email: null, is_anonymous: true },
    });
  });
});

describe("the sweep of guests", () => {
  it("removes those without an order, 30 days after they were last seen, and no others", async () => {
    const [idle, seen, buyer, recent] = await Promise.all(
      Array.from({ length: 4 }, () => openGuest(bazaar.marketplace)),
    );
    const { body: placed } = await order(buyer as Person, { contact });
    const old = [idle, seen, buyer].map((guest) => guest?.id);
    await query(
      "update auth.users set created_at = now() - interval '31 days' where id = any ($1)",
      [old],
    );
    await query(
      "update auth.sessions set created_at = now() - interval '31 days' where user_id = any ($1)",
      [old],
    );
    await query(
      "update auth.sessions set refreshed_at = (now() - interval '29 days') at time zone 'utc' where user_id = $1",
      [seen?.id],
    );
    await runJob("forget-guests");
    const left = await query<{ id: string }>("select id from auth.users where id = any ($1)", [
      [...old, recent?.id],
    ]);
    expect(left.map(({ id }) => id).toSorted()).toEqual(
      [seen, buyer, recent].map((guest) => guest?.id).toSorted(),
    );
    expect(await query("select 1 from public.customers where user_id = $1", [idle?.id])).toEqual(
      [],
    );
    expect((await must("GET", `/api/orders/${placed.id}`, { as: bazaar.operator })).id).toBe(
      placed.id,
    );
  });
});
