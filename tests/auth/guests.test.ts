import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { restJob, runJob } from "../clock.js";
import { query } from "../database.js";
import { openPlace } from "../place.js";
import {
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  register,
  SELLERS,
  stackInUse,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { type StackAddress, setRateLimit, startStack } from "../stack.js";

let testTenant: TestTenant;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let product: any;

beforeAll(async () => {
  testTenant = await openTestTenant();
  product = await listProduct(testTenant.supplier, { inventory: { quantity: 1000 } });
});

const contact = { email: "Gil@Example.com", name: "Gil", phone: "+212 5 35 00" };

const order = (as: Person | string, fields: object = {}) =>
  call("POST", "/api/orders", { as, body: orderFor(product, 1, fields) });

const newAccount = () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD });

const registerAs = (as: Person | string, body: object, stack?: StackAddress) =>
  call("POST", "/auth/register", { as, body, stack });

async function closeMarketplace({ operator, marketplace }: TestTenant): Promise<void> {
  await must("PUT", `/api/marketplaces/${marketplace.id}`, {
    as: operator,
    body: { status: "inactive" },
  });
}

/** The events of the tenant about a user, oldest first. */
async function eventsAbout(user: Person) {
  const { data } = await supabaseAs(testTenant.operator)
    .from("events")
    .select("name, payload")
    .order("created_at")
    .throwOnError();
  return data
    .filter(({ payload }) => payload.data.user?.id === user.id)
    .map(({ name, payload }) => ({ event: name, ...payload.data.user }));
}

describe("a storefront", () => {
  const storefront = (query: string) => call("GET", `/api/storefront${query}`);

  it("shows the public data of an active marketplace without a token, cacheable for a minute", async () => {
    const { id, tenant_id, domain, name, description, category, currency, language } =
      testTenant.marketplace;
    const shown = {
      ...{ id, tenant_id, domain, name, description, category, currency, language },
      ...{ languages: ["en"], branding: {}, seo: {}, guest_checkout: true, country: null },
    };
    const answer = await storefront(`?domain=${domain.toUpperCase()}.`);
    expect(answer.body).toEqual(shown);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
    const known = { "if-none-match": answer.headers.get("etag") as string };
    const again = await call("GET", `/api/storefront?domain=${domain}`, { headers: known });
    expect(again.status).toBe(304);
    const { data } = await supabaseAs().rpc("storefront", { domain });
    expect(data).toEqual(shown);
    const { data: signedIn } = await supabaseAs(testTenant.customer).rpc("storefront", { domain });
    expect(signedIn).toEqual(shown);
  });

  it("shows branding, SEO and whether guests may order, and no other settings", async () => {
    const settings = {
      branding: { colors: { primary: "#112233" } },
      seo: { title: "Spices of Fez" },
      business: { commission_percent: 12, guest_checkout: false },
    };
    const { operator, marketplace } = await openTestTenant();
    await must("PUT", `/api/marketplaces/${marketplace.id}`, { as: operator, body: { settings } });
    const { body } = await storefront(`?domain=${marketplace.domain}`);
    expect(body).toMatchObject({
      branding: settings.branding,
      seo: settings.seo,
      guest_checkout: false,
    });
    expect(JSON.stringify(body)).not.toContain("commission");
  });

  it("is NOT_FOUND for a marketplace that is a draft, inactive or unknown", async () => {
    const draft = await must("POST", "/api/marketplaces", {
      as: testTenant.operator,
      body: marketplaceFields(),
    });
    const closed = await openTestTenant();
    await closeMarketplace(closed);
    // An id is not a domain.
    for (const domain of [
      draft.domain,
      closed.marketplace.domain,
      testTenant.marketplace.id,
      `${randomUUID()}.example.com`,
    ]) {
      const answer = await storefront(`?domain=${domain}`);
      expectRefusal(answer, 404, "NOT_FOUND", { field: "domain", value: domain });
      expect(answer.headers.has("cache-control")).toBe(false);
      const { error } = await supabaseAs().rpc("storefront", { domain });
      expect(error).toMatchObject({ message: "NOT_FOUND" });
    }
  });

  it.each([
    "",
    "?domain=",
    "?domain=a%20b",
    "?host=x.example.com",
  ])("is refused for the query %j", async (asked) => {
    expectRefusal(await storefront(asked), 422, "VALIDATION_ERROR");
  });
});

describe("a guest", () => {
  it("is a customer of the marketplace's tenant, by its domain or its id", async () => {
    for (const key of ["domain", "id"]) {
      const made = await call("POST", "/auth/guest", {
        body: { marketplace: testTenant.marketplace[key] },
        headers: { "cf-connecting-ip": "203.0.113.1" },
      });
      expect(made.status).toBe(201);
      const { body } = made;
      expect(body).toMatchObject({
        access_token: expect.any(String),
        refresh_token: expect.any(String),
      });
      expect(body.user).toEqual({
        id: body.user.id,
        email: null,
        name: "",
        role: "customer",
        tenant_id: testTenant.tenantId,
        is_anonymous: true,
      });
      const me = await must("GET", "/auth/me", { as: body.access_token });
      expect(me).toMatchObject({ user: body.user, customer_id: expect.any(String) });
      const found = await must("GET", "/api/products", { as: body.access_token });
      expect(found.products.map(({ id }: { id: string }) => id)).toContain(product.id);
    }
  });

  it("can also be created by signInAnonymously", async () => {
    const supabase = supabaseAs();
    const { data, error } = await supabase.auth.signInAnonymously({
      options: { data: { marketplace: testTenant.marketplace.domain } },
    });
    expect(error).toBeNull();
    const me = await must("GET", "/auth/me", { as: data.session?.access_token as string });
    expect(me.user).toMatchObject({ tenant_id: testTenant.tenantId, is_anonymous: true });
  });

  it("needs an open marketplace", async () => {
    const draft = await must("POST", "/api/marketplaces", {
      as: testTenant.operator,
      body: marketplaceFields(),
    });
    const closed = await openTestTenant();
    await closeMarketplace(closed);
    for (const marketplace of [
      draft.id,
      draft.domain,
      closed.marketplace.id,
      closed.marketplace.domain,
      randomUUID(),
      "nowhere.example.com",
    ]) {
      const answer = await call("POST", "/auth/guest", { body: { marketplace } });
      expectRefusal(answer, 404, "NOT_FOUND", { field: "marketplace", value: marketplace });
      const { error } = await supabaseAs().auth.signInAnonymously({
        options: { data: { marketplace } },
      });
      expect(error).toMatchObject({ status: 404 });
    }
  });

  it("may send no other fields in signInAnonymously", async () => {
    const { id } = testTenant.marketplace;
    const name = randomUUID();
    for (const data of [
      {},
      { tenant_name: "Mine" },
      { marketplace: id, tenant_name: "Mine" },
      { marketplace: id, tenant_id: testTenant.tenantId },
      { marketplace: id, role: "supplier" },
      { marketplace: id, invitation: "guessed" },
    ]) {
      const { error } = await supabaseAs().auth.signInAnonymously({
        options: { data: { ...data, name } },
      });
      expect(error).toMatchObject({ status: 422 });
    }
    expect(
      await query("select 1 from auth.users where raw_user_meta_data ->> 'name' = $1", [name]),
    ).toEqual([]);
  });

  it("can open or join no other tenant", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const other = await register({ tenant_name: "Next door" });
    for (const body of [{ tenant_name: "Mine" }, { tenant_id: other.tenantId }]) {
      expectRefusal(await call("POST", "/auth/tenants", { as: guest, body }), 403, "FORBIDDEN");
    }
    const { error } = await supabaseAs(guest).rpc("open_tenant", { tenant_name: "Mine" });
    expect(error).toMatchObject({ message: "FORBIDDEN" });
  });

  it("causes no event, and is marked in the list of members", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const members = async (is_anonymous: boolean) => {
      const path = `/api/members?limit=1000&is_anonymous=${is_anonymous}`;
      const { members } = await must("GET", path, { as: testTenant.operator });
      return members.map(({ user_id }: { user_id: string }) => user_id);
    };
    expect(await members(true)).toContain(guest.id);
    expect(await members(false)).not.toContain(guest.id);
    expect(await members(false)).toContain(testTenant.customer.id);
    expect(await eventsAbout(guest)).toEqual([]);
  });
});

describe("guests per address", () => {
  const visit = (address: string, marketplace: string = testTenant.marketplace.id) =>
    call("POST", "/auth/guest", {
      body: { marketplace },
      headers: { "cf-connecting-ip": address },
    });

  it("are limited to 30 per hour", async () => {
    const address = "203.0.113.31";
    const first = await Promise.all(Array.from({ length: 35 }, () => visit(address)));
    expect(first.map(({ status }) => status).toSorted()).toEqual([
      ...Array(30).fill(201),
      ...Array(5).fill(429),
    ]);
    const refused = await visit(address);
    expectRefusal(refused, 429, "RATE_LIMITED");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(3600);
    expect((await visit("203.0.113.32")).status).toBe(201);
  });

  it("are counted in any 60 minutes, not per clock hour", async () => {
    const address = "203.0.113.33";
    const opened = (ago: string[]) =>
      query(
        `insert into private.guest_counts (address, opened_at)
         select $1, array_agg(now() - ago::interval) from unnest($2::text[]) as ago
         on conflict (address) do update set opened_at = excluded.opened_at`,
        [address, ago],
      );
    await opened(Array(30).fill("30 minutes"));
    const refused = await visit(address);
    expectRefusal(refused, 429, "RATE_LIMITED");
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(1800);
    await opened(["61 minutes", ...Array(29).fill("30 minutes")]);
    expect((await visit(address)).status).toBe(201);
    expect((await visit(address)).status).toBe(429);
    await runJob("forget-guest-counts");
    expect((await visit(address)).status).toBe(429);
    await opened(["61 minutes"]);
    await runJob("forget-guest-counts");
    expect(await query("select 1 from private.guest_counts where address = $1", [address])).toEqual(
      [],
    );
  });

  it("only count if they were created: a marketplace that is not open counts none", async () => {
    const address = "203.0.113.34";
    for (let times = 0; times < 2; times += 1) {
      expect((await visit(address, "nowhere.example.com")).status).toBe(404);
    }
    expect(await query("select 1 from private.guest_counts where address = $1", [address])).toEqual(
      [],
    );
  });

  it("share the count within an IPv6 network", async () => {
    await query(
      "insert into private.guest_counts (address, opened_at) values ($1, array_fill(now(), '{30}'))",
      ["2001:db8:31:1::"],
    );
    expect((await visit("2001:db8:31:1::1")).status).toBe(429);
    expect((await visit("2001:db8:31:1:ffff::2")).status).toBe(429);
    expect((await visit("2001:db8:31:2::1")).status).toBe(201);
  });
});

describe("a guest's order", () => {
  it("needs a contact", async () => {
    const guest = await openGuest(testTenant.marketplace);
    expectRefusal(await order(guest), 422, "VALIDATION_ERROR", { field: "contact" });
    const { error } = await supabaseAs(guest).rpc("place_order", orderFor(product));
    expect(error).toMatchObject({ message: "VALIDATION_ERROR" });
    const placed = await order(guest, { contact });
    expect(placed.status).toBe(201);
    expect(placed.body.contact).toEqual({ ...contact, email: "gil@example.com" });
    const read = await must("GET", `/api/orders/${placed.body.id}`, { as: testTenant.operator });
    expect(read.contact).toEqual(placed.body.contact);
  });

  it.each([
    [{}, "contact.email"],
    [{ email: "nobody" }, "contact.email"],
    [{ email: 7 }, "contact.email"],
    [{ email: "a@b.example", phone: "" }, "contact.phone"],
    [{ email: "a@b.example", name: " " }, "contact.name"],
    [{ email: "a@b.example", name: "x".repeat(201) }, "contact.name"],
    [{ email: "a@b.example", fax: "1" }, "contact.fax"],
  ])("refuses the contact %j", async (wrong, field) => {
    for (const as of [await openGuest(testTenant.marketplace), testTenant.customer]) {
      expectRefusal(await order(as, { contact: wrong }), 422, "VALIDATION_ERROR", { field });
      const { error } = await supabaseAs(as).rpc("place_order", {
        ...orderFor(product),
        contact: wrong,
      });
      expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ field });
    }
  });

  it("belongs to no other guest, and to nobody who registers with another address", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const { body } = await order(guest, { contact });
    const other = await openGuest(testTenant.marketplace);
    const registered = await must("POST", "/auth/register", { as: other, body: newAccount() });
    for (const as of [
      await openGuest(testTenant.marketplace),
      testTenant.customer,
      { ...other, token: registered.access_token },
    ]) {
      expectRefusal(await call("GET", `/api/orders/${body.id}`, { as }), 404, "NOT_FOUND");
      const { data } = await supabaseAs(as).from("orders").select("id").eq("id", body.id);
      expect(data).toEqual([]);
      expect((await must("GET", "/api/orders?limit=1000", { as })).orders).not.toContainEqual(
        expect.objectContaining({ id: body.id }),
      );
    }
  });

  it("is refused if the marketplace does not accept guests, and a customer's is not", async () => {
    const closed = await openTestTenant();
    await must("PUT", `/api/marketplaces/${closed.marketplace.id}`, {
      as: closed.operator,
      body: { settings: { business: { guest_checkout: false } } },
    });
    const goods = await listProduct(closed.supplier);
    const guest = await openGuest(closed.marketplace);
    const body = orderFor(goods, 1, { contact });
    expectRefusal(await call("POST", "/api/orders", { as: guest, body }), 403, "FORBIDDEN");
    const { error } = await supabaseAs(guest).rpc("place_order", body);
    expect(error).toMatchObject({ message: "FORBIDDEN" });
    const { access_token } = await must("POST", "/auth/register", {
      as: guest,
      body: newAccount(),
    });
    for (const as of [closed.customer, access_token]) {
      await must("POST", "/api/orders", { as, body });
    }
  });

  it("needs a setting that is true or false", async () => {
    const answer = await call("PUT", `/api/marketplaces/${testTenant.marketplace.id}`, {
      as: testTenant.operator,
      body: { settings: { business: { guest_checkout: "no" } } },
    });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "settings.business.guest_checkout" });
    const { error } = await supabaseAs(testTenant.operator)
      .from("marketplaces")
      .update({ settings: { business: { guest_checkout: 1 } } })
      .eq("id", testTenant.marketplace.id);
    expect(error).toMatchObject({ message: "VALIDATION_ERROR" });
  });
});

describe("a guest who registers", () => {
  it("remains the same user with the same orders, and causes a registration event", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const { body: placed } = await order(guest, { contact });
    const account = newAccount();
    const { status, body } = await registerAs(guest, { ...account, name: "Gil" });
    expect(status).toBe(201);
    expect(body.user).toEqual({
      id: guest.id,
      email: account.email,
      name: "Gil",
      role: "customer",
      tenant_id: testTenant.tenantId,
      is_anonymous: false,
    });
    const { access_token } = await must("POST", "/auth/login", { body: account });
    for (const as of [body.access_token, access_token]) {
      expect((await must("GET", `/api/orders/${placed.id}`, { as })).id).toBe(placed.id);
    }
    // A customer needs no contact.
    expect((await order(access_token)).status).toBe(201);
    expect(await eventsAbout(guest)).toMatchObject([
      { event: "user.registered", email: account.email, role: "customer", email_verified: false },
      { event: "user.verified", email: account.email, role: "customer", email_verified: true },
    ]);
    const path = `/api/members?email=${account.email}`;
    const { members } = await must("GET", path, { as: testTenant.operator });
    expect(members).toMatchObject([{ user_id: guest.id, is_anonymous: false, name: "Gil" }]);
  });

  it("can also do so by updateUser", async () => {
    const supabase = supabaseAs();
    await supabase.auth.signInAnonymously({
      options: { data: { marketplace: testTenant.marketplace.id } },
    });
    const { data, error } = await supabase.auth.updateUser(newAccount());
    expect(error).toBeNull();
    const path = `/api/members/${data.user?.id}`;
    expect(await must("GET", path, { as: testTenant.operator })).toMatchObject({
      email: data.user?.email,
      is_anonymous: false,
    });
  });

  it("does so once: the guest's token cannot change the account afterwards", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const account = newAccount();
    await must("POST", "/auth/register", { as: guest, body: account });
    for (const body of [account, { ...account, password: `${PASSWORD} anew` }, newAccount()]) {
      expectRefusal(await registerAs(guest, body), 409, "CONFLICT");
    }
    const { user } = await must("POST", "/auth/login", { body: account });
    expect(user).toMatchObject({ id: guest.id, email: account.email });
  });

  it("becomes one customer by concurrent registrations, with the account in the answer", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const accounts = Array.from({ length: 4 }, newAccount);
    const answers = await Promise.all(accounts.map((account) => registerAs(guest, account)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    const made = accounts[answers.findIndex(({ status }) => status === 201)];
    expect((await must("POST", "/auth/login", { body: made })).user.id).toBe(guest.id);
    expect(
      await query("select email from public.customers where user_id = $1", [guest.id]),
    ).toEqual([{ email: made?.email }]);
    const emails = accounts.map(({ email }) => email);
    expect(await query("select id from auth.users where email = any ($1)", [emails])).toEqual([
      { id: guest.id },
    ]);
  });

  it("gets an address that others register at the same time, or CONFLICT", async () => {
    const guests = await Promise.all(
      Array.from({ length: 6 }, () => openGuest(testTenant.marketplace)),
    );
    const account = newAccount();
    const answers = await Promise.all(guests.map((guest) => registerAs(guest, account)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status !== 201) expectRefusal(answer, 409, "CONFLICT", { field: "email" });
    }
    expect((await must("POST", "/auth/login", { body: account })).user).toEqual(made[0]?.body.user);
  });

  it("is refused while another request registers it, unless that request has crashed", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const begun = (ago: string) =>
      query(
        `insert into private.guest_registrations (user_id, begun_at) values ($1, now() - $2::interval)
         on conflict (user_id) do update set begun_at = excluded.begun_at`,
        [guest.id, ago],
      );
    await begun("-1 hour");
    expectRefusal(await registerAs(guest, newAccount()), 409, "CONFLICT");
    await begun("61 seconds");
    expect((await registerAs(guest, newAccount())).status).toBe(201);
    expect(
      await query("select 1 from private.guest_registrations where user_id = $1", [guest.id]),
    ).toEqual([]);
  });

  it("must name neither tenant nor role, and cannot use another person's address", async () => {
    const guest = await openGuest(testTenant.marketplace);
    for (const surplus of [
      { tenant_id: testTenant.tenantId },
      { role: "supplier" },
      { tenant_name: "Mine" },
      { invitation: "a token" },
    ]) {
      const answer = await registerAs(guest, { ...newAccount(), ...surplus });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: Object.keys(surplus)[0] });
    }
    const taken = await registerAs(guest, { email: testTenant.customer.email, password: PASSWORD });
    expectRefusal(taken, 409, "CONFLICT", { field: "email" });
    expect(await must("GET", "/auth/me", { as: guest })).toMatchObject({
      user: { email: null, is_anonymous: true },
    });
    // It may try again immediately.
    expect((await registerAs(guest, newAccount())).status).toBe(201);
  });

  it("needs a valid token, or it would become another user", async () => {
    const guest = await openGuest(testTenant.marketplace);
    const claims = JSON.parse(
      Buffer.from(guest.token.split(".")[1] as string, "base64url").toString(),
    );
    const signed = (changes: object, secret: string) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(secret));
    const { jwt_secret } = stackInUse();
    const body = { ...newAccount(), tenant_id: testTenant.tenantId };
    const expired = await signed({ exp: claims.iat - 3600 }, jwt_secret);
    expectRefusal(await registerAs(expired, body), 401, "TOKEN_EXPIRED");
    const forged = await signed({}, "x".repeat(40));
    expectRefusal(await registerAs(forged, body), 401, "UNAUTHORIZED");
    expect(await query("select 1 from auth.users where email = $1", [body.email])).toEqual([]);
    // The token of an account has no effect: this creates another account.
    expect((await registerAs(testTenant.customer, body)).status).toBe(201);
  });
});

describe("a guest when addresses must be confirmed", () => {
  let stack: StackAddress;
  let shop: TestTenant;
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  let lamp: any;

  /** Follows the link in the last mail to a user. */
  async function confirm(user: string): Promise<void> {
    const [sent] = await query<{ token_hash: string; kind: "signup" | "email_change" }>(
      `select coalesce(nullif(confirmation_token, ''), email_change_token_new) as token_hash,
         case when confirmation_token = '' then 'email_change' else 'signup' end as kind
       from auth.users where id = $1`,
      [user],
      stack,
    );
    const { error } = await supabaseAs(undefined, stack).auth.verifyOtp({
      token_hash: sent?.token_hash as string,
      type: sent?.kind as "email_change",
    });
    expect(error).toBeNull();
  }

  /** Registers and confirms, as `register` does when no confirmation is needed. */
  async function registerConfirmed(fields: object): Promise<Person> {
    const account = newAccount();
    const { user } = await must("POST", "/auth/register", {
      body: { ...account, ...fields },
      stack,
    });
    await confirm(user.id);
    const made = await must("POST", "/auth/login", { body: account, stack });
    return {
      ...account,
      id: user.id,
      token: made.access_token,
      refreshToken: made.refresh_token,
      tenantId: made.user.tenant_id,
    };
  }

  beforeAll(async () => {
    const { options, drop } = await openPlace();
    const started = await startStack(options, {
      functions: ["api", "auth"],
      configure: (config) =>
        config.replace(
          "enable_confirmations = false",
          "enable_confirmations = true\nmax_frequency = '1m'",
        ),
    });
    stack = started;
    await setRateLimit(stack, "address", 1_000_000);
    const operator = await registerConfirmed({ tenant_name: "Confirmed" });
    await must("PATCH", "/api/tenant", {
      as: operator,
      body: { settings: { sellers: SELLERS } },
      stack,
    });
    const supplier = await registerConfirmed({ tenant_id: operator.tenantId, role: "supplier" });
    const draft = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
      stack,
    });
    const marketplace = await must("PUT", `/api/marketplaces/${draft.id}`, {
      as: operator,
      body: { status: "active" },
      stack,
    });
    shop = { operator, supplier, customer: operator, tenantId: operator.tenantId, marketplace };
    lamp = await listProduct(supplier, {}, stack);
    return async () => {
      await started.stop();
      await drop();
    };
  });

  it("remains a guest until it follows the link: an unconfirmed address grants nothing", async () => {
    const guest = await openGuest(shop.marketplace, stack);
    const placed = await must("POST", "/api/orders", {
      as: guest,
      body: orderFor(lamp, 1, { contact }),
      stack,
    });
    const misspelt = newAccount();
    const pending = await registerAs(guest, { ...misspelt, name: "Gil" }, stack);
    expect(pending.status).toBe(201);
    expect(pending.body).toMatchObject({
      access_token: null,
      refresh_token: null,
      user: { id: guest.id, is_anonymous: true },
    });
    // It already has this password.
    const account = { ...misspelt, email: newAccount().email };
    const early = await registerAs(guest, account, stack);
    expectRefusal(early, 429, "RATE_LIMITED");
    expect(early.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    await query(
      "update auth.users set email_change_sent_at = now() - interval '1 hour' where id = $1",
      [guest.id],
      stack,
    );
    expect((await registerAs(guest, account, stack)).status).toBe(201);
    for (const body of [misspelt, account]) {
      expectRefusal(await call("POST", "/auth/login", { body, stack }), 401, "INVALID_CREDENTIALS");
    }
    const read = { as: guest, stack };
    expect((await must("GET", "/auth/me", read)).user).toMatchObject({
      email: null,
      is_anonymous: true,
    });

    // The first address belongs to another person, who can register it but does not get the order.
    const stranger = newAccount();
    const { user } = await must("POST", "/auth/register", {
      body: { ...stranger, email: misspelt.email, tenant_id: shop.tenantId },
      stack,
    });
    await confirm(user.id);
    const { access_token } = await must("POST", "/auth/login", {
      body: { ...stranger, email: misspelt.email },
      stack,
    });
    const path = `/api/orders/${placed.id}`;
    expectRefusal(await call("GET", path, { as: access_token, stack }), 404, "NOT_FOUND");

    await confirm(guest.id);
    const registered = await must("POST", "/auth/login", { body: account, stack });
    expect(registered.user).toMatchObject({
      id: guest.id,
      email: account.email,
      is_anonymous: false,
    });
    expect((await must("GET", path, { as: registered.access_token, stack })).id).toBe(placed.id);
  });
});

describe("the removal of guests", () => {
  // These tests run the job themselves. The clock must not run it at the same time.
  beforeAll(() => restJob("forget-guests"));

  const left = async (ids: string[]) => {
    const rows = await query<{ id: string }>("select id from auth.users where id = any ($1)", [
      ids,
    ]);
    return rows.map(({ id }) => id).toSorted();
  };
  const idsOf = (people: Person[]) => people.map(({ id }) => id).toSorted();

  /** Sets how many days ago users were created and last seen, and makes the removal due. */
  async function seen(days: number, ...people: Person[]) {
    const ids = idsOf(people);
    await query(
      `update auth.users set created_at = now() - $2 * interval '1 day', last_sign_in_at = now() - $2 * interval '1 day'
       where id = any ($1)`,
      [ids, days],
    );
    await query(
      "update auth.sessions set created_at = now() - $2 * interval '1 day', refreshed_at = null where user_id = any ($1)",
      [ids, days],
    );
    await query("update private.guest_checks set due_at = now() where user_id = any ($1)", [ids]);
  }

  const guests = (many: number) =>
    Promise.all(Array.from({ length: many }, () => openGuest(testTenant.marketplace)));

  it("removes those without an order, 30 days after they were last seen, and nobody else", async () => {
    const [idle, back, buyer, registered, recent] = (await guests(5)) as [
      Person,
      Person,
      Person,
      Person,
      Person,
    ];
    const { body: placed } = await order(buyer, { contact });
    await must("POST", "/auth/register", { as: registered, body: newAccount() });
    await seen(31, idle, back, buyer, registered);
    await query(
      "update auth.sessions set refreshed_at = (now() - interval '29 days') at time zone 'utc' where user_id = $1",
      [back.id],
    );
    await seen(29, recent);
    const [customer] = await query("select id from public.customers where user_id = $1", [idle.id]);
    await runJob("forget-guests");
    expect(await left(idsOf([idle, back, buyer, registered, recent]))).toEqual(
      idsOf([back, buyer, registered, recent]),
    );
    expect(await query("select 1 from public.customers where id = $1", [customer?.id])).toEqual([]);
    expect((await must("GET", `/api/orders/${placed.id}`, { as: buyer })).id).toBe(placed.id);
    // Guests that may become due are checked again soon, the others are not.
    const checked = await query(
      `select user_id, (due_at > now() + interval '12 hours' and due_at < now() + interval '2 days') as soon
       from private.guest_checks where user_id = any ($1)`,
      [idsOf([back, buyer, registered, recent])],
    );
    expect(checked).toHaveLength(2);
    for (const each of [back, recent]) {
      expect(checked).toContainEqual({ user_id: each.id, soon: true });
    }
  });

  it("keeps those to whom an admin gave another role", async () => {
    const [promoted] = (await guests(1)) as [Person];
    await must("PATCH", `/api/members/${promoted.id}`, {
      as: testTenant.operator,
      body: { role: "client" },
    });
    await seen(31, promoted);
    await runJob("forget-guests");
    expect(await left([promoted.id])).toEqual([promoted.id]);
  });

  it("works in transactions of a hundred, until none is left", async () => {
    const name = randomUUID();
    await query(
      `insert into auth.users (id, aud, role, is_anonymous, raw_user_meta_data, created_at, last_sign_in_at)
       select gen_random_uuid(), 'authenticated', 'authenticated', true,
         jsonb_build_object('marketplace', $1::text, 'name', $2::text), now() - interval '31 days', now() - interval '31 days'
       from generate_series(1, 250)`,
      [testTenant.marketplace.id, name],
    );
    const named = () =>
      query("select id from auth.users where raw_user_meta_data ->> 'name' = $1", [name]);
    await query(
      `update private.guest_checks set due_at = now() - interval '1 day'
       where user_id in (select id from auth.users where raw_user_meta_data ->> 'name' = $1)`,
      [name],
    );
    await query("select private.delete_old_guests(100)");
    expect(await named()).toHaveLength(150);
    await runJob("forget-guests");
    expect(await named()).toEqual([]);
  });

  // This needs two concurrent sessions, which PGlite does not have.
  it.runIf(process.env.DATABASE_URL)(
    "does not wait for an order that is being placed, and keeps its guest",
    async () => {
      const [buyer, idle] = (await guests(2)) as [Person, Person];
      const { customer_id } = await must("GET", "/auth/me", { as: buyer });
      await seen(31, buyer, idle);
      const ordering = new pg.Client({ connectionString: stackInUse().db_url as string });
      await ordering.connect();
      onTestFinished(() => ordering.end());
      await ordering.query("begin");
      // An order does this, because it refers to its customer.
      await ordering.query("select from public.customers where id = $1 for key share", [
        customer_id,
      ]);
      await runJob("forget-guests");
      expect(await left([buyer.id, idle.id])).toEqual([buyer.id]);
      await ordering.query("commit");
      await must("POST", "/api/orders", {
        as: testTenant.operator,
        body: orderFor(product, 1, { customer_id }),
      });
      await seen(31, buyer);
      await runJob("forget-guests");
      expect(await left([buyer.id])).toEqual([buyer.id]);
    },
  );
});
