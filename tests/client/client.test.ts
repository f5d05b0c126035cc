import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import ws from "ws";
import {
  ApiError,
  type ClientOptions,
  createClient,
  type RealtimeTable,
  type SoukClient,
  verifyWebhook,
  type WebhookEvent,
} from "../../packages/client/src/index.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  ADDRESS,
  call,
  listProduct,
  marketplaceFields,
  openReceiver,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  type Received,
  register,
} from "../souk.js";

/** The published client, at the running stack. It is closed after the test. */
function open(options: ClientOptions = {}): SoukClient {
  const { url, anon_key } = ownStack;
  const client = createClient(url, anon_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
    ...options,
  });
  onTestFinished(async () => {
    await client.supabase.removeAllChannels();
    await client.supabase.realtime.disconnect();
  });
  return client;
}

const openAs = (person: Person) => open({ accessToken: async () => person.token });

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function sessionOf(client: SoukClient) {
  return (await client.supabase.auth.getSession()).data.session;
}

/** The options of calls that create a guest. Other files do not use this address. */
const oneGuest = { headers: { "cf-connecting-ip": "203.0.113.77" } };

const email = () => `${randomUUID()}@example.com`;

describe("a first sale", () => {
  it("works from the registration to the shipped order", async () => {
    const [operator, supplier, customer] = [open(), open(), open()];
    const { user } = await operator.auth.register({
      email: email(),
      password: PASSWORD,
      tenant_name: "Oasis",
    });
    const tenant_id = user.tenant_id ?? "";
    const draft = await operator.marketplaces.create(marketplaceFields());
    const marketplace = await operator.marketplaces.update(draft.id, { status: "active" });
    expect(marketplace).toMatchObject({ id: draft.id, status: "active" });
    const invited = { email: email(), role: "supplier" } as const;
    const { token } = await operator.invitations.create(invited);
    await supplier.auth.register({
      email: invited.email,
      password: PASSWORD,
      invitation: token as string,
    });
    await customer.auth.register({ email: email(), password: PASSWORD, tenant_id });

    const lamp = await supplier.products.create({
      name: "Brass lamp",
      price: 89.5,
      inventory: { quantity: 3 },
    });
    const found = await customer.products.list({ search: "lamp" });
    const { safety: _, ...listed } = lamp;
    expect(found.products).toEqual([
      { ...listed, relevance_score: expect.any(Number), promotion: null },
    ]);
    expect(found.filters.price_range).toEqual([89.5, 89.5]);
    expect(await customer.products.get(lamp.id)).toEqual(lamp);

    const order = await customer.orders.place({
      marketplace_id: marketplace.id,
      items: [{ product_id: lamp.id, quantity: 2, price: lamp.price }],
      shipping_address: ADDRESS,
    });
    expect(order).toMatchObject({ status: "pending", total_amount: 179 });
    await operator.orders.changeStatus(order.id, { status: "shipped", note: "On its way" });
    expect(await customer.orders.get(order.id)).toMatchObject({
      status: "shipped",
      history: [{ old_status: "pending", new_status: "shipped", note: "On its way" }],
    });
    expect(await customer.orders.list({ status: "shipped" })).toMatchObject({ total: 1, page: 1 });
    expect(await collect(customer.marketplaces.listAll())).toEqual([marketplace]);
    expect(await customer.marketplaces.get(marketplace.id)).toEqual(marketplace);
    expect((await customer.marketplaces.list()).total).toBe(1);
  });

  it("is refused with a reason and a field", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const order = orderFor({ ...product, price: 1 });
    const error = await openAs(customer)
      .orders.place(order, { headers: { "X-Request-Id": "first-sale" } })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "PRICE_MISMATCH",
      status: 422,
      field: "items[0].price",
      value: 1,
      requestId: "first-sale",
    });
  });
});

describe("a session", () => {
  it("is kept by supabase-js, which sees the same rows", async () => {
    const { customer, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const client = open();
    await expect(client.auth.me()).rejects.toMatchObject({ code: "UNAUTHORIZED", status: 401 });
    const session = await client.auth.login({ email: customer.email, password: PASSWORD });
    expect(await sessionOf(client)).toMatchObject({
      access_token: session.access_token,
      refresh_token: session.refresh_token,
    });
    expect(await client.auth.me()).toMatchObject({ user: { id: customer.id }, role: "customer" });
    const { data } = await client.supabase.from("products").select("id, name").throwOnError();
    expect(data).toEqual([{ id: product.id, name: product.name }]);
  });

  it("is refreshed by supabase-js when the access token has expired", async () => {
    const { customer } = await openTestTenant();
    const client = open();
    const { refresh_token } = await client.auth.login({
      email: customer.email,
      password: PASSWORD,
    });
    // Half an hour after its expiry.
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 5_400_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await client.auth.me()).toMatchObject({ user: { id: customer.id } });
    expect((await sessionOf(client))?.refresh_token).not.toBe(refresh_token);
  });

  it("is refreshed once for concurrent calls", async () => {
    const { customer } = await openTestTenant();
    const client = open();
    const first = await client.auth.login({ email: customer.email, password: PASSWORD });
    const [one, other] = await Promise.all([client.auth.refresh(), client.auth.refresh()]);
    expect(one.refresh_token).not.toBe(first.refresh_token);
    expect(other).toEqual(one);
    expect((await sessionOf(client))?.refresh_token).toBe(one.refresh_token);
    await client.auth.refresh();
    await client.auth.me();
  });

  it("ends with the logout, in the client and on the server", async () => {
    const { customer } = await openTestTenant();
    const refused: string[] = [];
    const client = open({
      global: {
        fetch: async (...request) => {
          const answer = await fetch(...request);
          if (!answer.ok) refused.push(answer.url);
          return answer;
        },
      },
    });
    const { refresh_token } = await client.auth.login({
      email: customer.email,
      password: PASSWORD,
    });
    await client.auth.logout();
    expect(refused).toEqual([]);
    expect(await sessionOf(client)).toBeNull();
    await expect(client.auth.me()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await expect(client.auth.refresh(refresh_token ?? "")).rejects.toMatchObject({
      code: "INVALID_CREDENTIALS",
    });
    await client.auth.logout();
    await expect(client.auth.refresh()).rejects.toThrow("no user is signed in");
  });

  it("of a guest is kept like that of a login, and continues when the guest registers", async () => {
    const { marketplace, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const client = open();
    expect(await client.marketplaces.storefront({ domain: marketplace.domain })).toMatchObject({
      id: marketplace.id,
      guest_checkout: true,
    });
    const { user, refresh_token } = await client.auth.guest(marketplace.domain, oneGuest);
    expect(user).toMatchObject({ email: null, is_anonymous: true, role: "customer" });
    expect(await sessionOf(client)).toMatchObject({ refresh_token });
    const order = await client.orders.place(orderFor(product, 1, { contact: { email: email() } }));

    const account = { email: email(), password: PASSWORD };
    const registered = await client.auth.register(account);
    expect(registered.user).toMatchObject({
      id: user.id,
      email: account.email,
      is_anonymous: false,
    });
    expect((await client.orders.get(order.id)).id).toBe(order.id);
    const later = open();
    await later.auth.login(account);
    expect((await later.orders.get(order.id)).id).toBe(order.id);
  });

  it("is shared by two tabs, which refresh it concurrently and both stay signed in", async () => {
    const { marketplace } = await openTestTenant();
    const kept = new Map<string, string>();
    const openTab = () =>
      open({
        auth: {
          autoRefreshToken: false,
          storage: {
            getItem: (key) => kept.get(key) ?? null,
            setItem: (key, value) => void kept.set(key, value),
            removeItem: (key) => void kept.delete(key),
          },
        },
      });
    const tabs = [openTab(), openTab()] as const;
    const { user, refresh_token } = await tabs[0].auth.guest(marketplace.domain, oneGuest);
    // The refreshes are within 10 s, however long they take.
    await query(
      `insert into private.spent_refresh_tokens (token_hash, session_id, spent_at)
       select encode(sha256(convert_to(token, 'utf8')), 'hex'), session_id, now() + interval '1 hour'
       from auth.refresh_tokens where token = $1`,
      [refresh_token],
    );
    const answers = await Promise.all(tabs.map((tab) => tab.auth.refresh(refresh_token ?? "")));
    expect(answers[0]?.refresh_token).toBe(answers[1]?.refresh_token);
    // supabase-js refreshes directly at Supabase Auth.
    await Promise.all(tabs.map((tab) => tab.supabase.auth.refreshSession()));
    for (const tab of tabs) expect((await tab.auth.me()).user.id).toBe(user.id);
  });

  it("error differs from wrong credentials and a taken email", async () => {
    const { customer, tenantId } = await openTestTenant();
    const client = open();
    await expect(
      client.auth.login({ email: customer.email, password: "wrong" }),
    ).rejects.toMatchObject({ code: "INVALID_CREDENTIALS", status: 401 });
    await expect(
      client.auth.register({ email: customer.email, password: PASSWORD, tenant_id: tenantId }),
    ).rejects.toMatchObject({ code: "CONFLICT", field: "email", value: customer.email });
    expect(await sessionOf(client)).toBeNull();
  });

  it("is not managed by a client with an access token", async () => {
    const { customer, operator } = await openTestTenant();
    const client = openAs(customer);
    const other = await client.auth.login({ email: operator.email, password: PASSWORD });
    expect(other.user.id).toBe(operator.id);
    expect((await client.auth.me()).user.id).toBe(customer.id);
    await client.auth.logout();
    const again = await call("POST", "/auth/refresh", {
      body: { refresh_token: customer.refreshToken },
    });
    expect(again.status).toBe(401);
  });
});

describe("a visitor", () => {
  it("reads a marketplace, also in a server that replaces the global Request", async () => {
    const { supplier, marketplace } = await openTestTenant();
    const { id } = await listProduct(supplier);
    const visitor = open({ marketplace: marketplace.domain });
    // As @hono/node-server does.
    vi.stubGlobal("Request", class extends Request {});
    onTestFinished(() => {
      vi.unstubAllGlobals();
    });
    expect((await visitor.products.list()).products).toMatchObject([{ id }]);
    expect((await visitor.marketplaces.paymentMethods()).payment_methods).toEqual([]);
  });
});

describe("realtime", () => {
  it("receives all changes after it has joined", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const client = open();
    await client.auth.login({ email: operator.email, password: PASSWORD });
    const placed: string[] = [];
    const moved: string[] = [];
    const [inserts] = await Promise.all([
      client.realtime.on("orders", { event: "INSERT" }, (change) => placed.push(change.new.id)),
      client.realtime.on(
        "orders",
        { event: "UPDATE", filter: "status=eq.confirmed" },
        ({ old, new: order }) => moved.push(`${order.id} ${old.status} ${order.status}`),
      ),
    ]);
    const { orders } = openAs(customer);
    const [first, second] = [
      await orders.place(orderFor(product)),
      await orders.place(orderFor(product)),
    ];
    await client.orders.changeStatus(second.id, { status: "processing" });
    await client.orders.changeStatus(first.id, { status: "confirmed" });
    await eventually(() => expect(moved).toEqual([`${first.id} pending confirmed`]));
    expect(placed).toEqual([first.id, second.id]);

    await inserts.unsubscribe();
    const third = await orders.place(orderFor(product));
    await client.orders.changeStatus(third.id, { status: "confirmed" });
    await eventually(() => expect(moved).toHaveLength(2));
    expect(placed).toHaveLength(2);
  });

  it("joins with a fixed token", async () => {
    const { operator, supplier } = await openTestTenant();
    const heard: string[] = [];
    await openAs(operator).realtime.on("products", {}, (change) => {
      if (change.eventType === "INSERT") heard.push(change.new.name);
    });
    await listProduct(supplier, { name: "Mint" });
    await eventually(() => expect(heard).toEqual(["Mint"]));
  });

  it("rejects when the server refuses, and closes the channel", async () => {
    const { operator } = await openTestTenant();
    const client = openAs(operator);
    await expect(client.realtime.on("members" as RealtimeTable, {}, () => {})).rejects.toThrow(
      "realtime refused",
    );
    const filter = "colour=eq.red" as never;
    await expect(client.realtime.on("orders", { filter }, () => {})).rejects.toThrow("colour");
    expect(client.supabase.getChannels()).toEqual([]);
    await expect(open().realtime.on("orders", {}, () => {})).rejects.toThrow(
      "no user is signed in",
    );
  });
});

/** A secret is null only in a repeated answer. */
const shown = (secret: string | null) => secret as string;

describe("webhooks", () => {
  it("can be registered, delivered and verified", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const receiver = await openReceiver();
    onTestFinished(receiver.close);
    const { webhooks } = openAs(operator);
    const { secret, ...webhook } = await webhooks.create({
      url: receiver.url,
      events: ["order.created"],
    });
    expect(await webhooks.get(webhook.id)).toEqual(webhook);
    expect((await webhooks.list()).webhooks).toEqual([webhook]);
    const order = await openAs(customer).orders.place(orderFor(await listProduct(supplier)));

    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
    const event = await verifyWebhook({
      payload: body,
      headers,
      secret: shown(secret),
      requireTimestamp: true,
    });
    expect(event.event === "order.created" && event.data.order).toMatchObject({
      id: order.id,
      total: order.total_amount,
    });
    await eventually(async () => {
      const [delivery] = await collect(webhooks.deliveriesAll(webhook.id));
      expect(delivery).toMatchObject({ id: headers["x-webhook-id"], status: "success" });
    });
    expect(await webhooks.deliveries(webhook.id, { limit: 1 })).toMatchObject({
      total: 1,
      limit: 1,
    });
  });

  it("can be tested, changed, inspected, sent again and removed", async () => {
    const { operator, tenantId } = await openTestTenant();
    const receiver = await openReceiver();
    onTestFinished(receiver.close);
    const { webhooks } = openAs(operator);
    const { id, secret } = await webhooks.create({
      url: receiver.url,
      events: ["user.registered"],
      headers: { "X-Shelf": "7" },
    });
    const arrived = async (count: number) => {
      await eventually(() => expect(receiver.received).toHaveLength(count));
      const { headers, body } = receiver.received[count - 1] as Received;
      return { payload: body, headers };
    };

    expect(await webhooks.test(id, { event: "order.created" })).toMatchObject({
      success: true,
      response_code: 200,
    });
    const trial = await arrived(1);
    expect(trial.headers["x-shelf"]).toBe("7");
    expect((await verifyWebhook({ ...trial, secret: shown(secret) })).event).toBe("order.created");

    const rotated = await webhooks.rotateSecret(id);
    expect(rotated.secret).not.toBe(secret);
    await webhooks.update(id, { description: "The shelf", headers: {} });
    expect(await webhooks.get(id)).toMatchObject({ description: "The shelf", header_names: [] });
    await register({ tenant_id: tenantId });
    const delivered = await arrived(2);
    const [old, current] = [shown(secret), shown(rotated.secret)];
    for (const known of [old, current, [current, old]]) {
      const { event } = await verifyWebhook({ ...delivered, secret: known });
      expect(event).toBe("user.registered");
    }

    const of = String(delivered.headers["webhook-id"]);
    const delivery = await eventually(async () => {
      const found = await webhooks.delivery(id, of);
      expect(found).toMatchObject({ status: "success", attempts: 1 });
      return found;
    });
    expect(delivery.request).toEqual(JSON.parse(delivered.payload));
    expect(delivery.history).toMatchObject([{ attempt: 1, response_code: 200, error: null }]);
    expect((await webhooks.deliveries(id, { status: "failed" })).total).toBe(0);
    expect(await webhooks.recover(id, { since: "2026-01-01T00:00:00Z" })).toEqual({
      recovered: 0,
      more: false,
    });
    expect(await webhooks.retry(id, of)).toMatchObject({ id: of, status: "retrying" });
    expect((await arrived(3)).headers["webhook-id"]).toBe(of);

    await webhooks.remove(id);
    await expect(webhooks.retry(id, of)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("events", () => {
  it("are read to the end, and continued later", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const { events } = openAs(operator);
    const order = await openAs(customer).orders.place(orderFor(await listProduct(supplier)));
    // An event is listed after all concurrent transactions have ended.
    const expected = await eventually(async () => {
      const all = await collect(events.listAll({ limit: 2 }));
      const last = all.at(-1);
      if (last?.event !== "order.created")
        throw new Error("the event of the order is not listed yet");
      expect(last.data.order.id).toBe(order.id);
      return all;
    });
    const isProduct = ({ event }: WebhookEvent) => event === "product.created";
    const products = await collect(events.listAll({ name: "product.created" }));
    expect(products).toEqual(expected.filter(isProduct));
    expect(products).toHaveLength(1);

    const page = await events.list({ limit: 1000 });
    expect(page.events).toEqual(expected);
    expect(await events.list({ after: page.next })).toMatchObject({ events: [], more: false });
    const { event_types } = await events.types();
    expect(event_types.map(({ name }) => name)).toContain("webhook.disabled");
  });
});
