import { randomUUID } from "node:crypto";
import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";
import { describe, expect, it, onTestFinished } from "vitest";
import ws from "ws";
import { createClient, type Presence } from "../../packages/client/src/index.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  supabaseAs,
} from "../souk.js";
import { getOrder, item, move, moved, pay, placed } from "./ordering.js";
import { cancelItems, changeShipment, placeMixed, ship } from "./shipping.js";

// The private channel order:{id}: who may join, which messages the database sends on it, and that nobody else can send.
// Tests for missing messages wait for a later one.

interface Seat {
  client: SupabaseClient;
  channel: RealtimeChannel;
  /** The broadcasts, as `event` and `payload`. */
  heard: { event: string; payload: Record<string, unknown> }[];
  /** The names of the present members. */
  present(): string[];
  /** The last messages of the server before it closed the channel. */
  ended: string[];
}

type JoinOptions = { isPrivate?: boolean; replay?: { since: number } };

/** Joins a topic as a person. Resolves when messages of the database arrive, rejects when refused. */
async function join(
  as: Person | undefined,
  topic: string,
  options: JoinOptions = {},
): Promise<Seat> {
  const client = supabaseAs(as);
  onTestFinished(async () => {
    await client.removeAllChannels();
    await client.realtime.disconnect();
  });
  await client.realtime.setAuth();
  const { isPrivate = true, replay } = options;
  const channel = client.channel(topic, {
    config: {
      private: isPrivate,
      broadcast: { replication_ready: true, ...(replay && { replay }) },
    },
  });
  const heard: Seat["heard"] = [];
  const ended: string[] = [];
  await new Promise<void>((ready, refused) => {
    channel
      .on("broadcast", { event: "*" }, ({ event, payload }) => heard.push({ event, payload }))
      .on("presence", { event: "sync" }, () => {})
      .on("system", {}, ({ status, message }) => {
        if (status === "ok") ready();
        else ended.push(message);
      })
      .subscribe((status, error) => {
        if (status === "CHANNEL_ERROR") refused(error);
      });
  }).catch(async (error) => {
    await client.removeAllChannels();
    throw error;
  });
  const names = () => Object.values(channel.presenceState<{ name: string }>()).flat();
  return {
    client,
    channel,
    heard,
    ended,
    present: () =>
      names()
        .map(({ name }) => name)
        .sort(),
  };
}

const enter = (as: Person | undefined, { id }: { id: string }, options?: JoinOptions) =>
  join(as, `order:${id}`, options);

/** The messages about the order's status, in short: the event and the new statuses. */
const statusMessages = ({ heard }: Seat) =>
  heard
    .filter(({ payload: { status } }) => status !== undefined)
    .map(({ event, payload: { status, payment_status } }) => [event, status, payment_status]);

const STATUS = "order.status_changed";
const PAYMENT = "order.payment_status_changed";

function hears(seat: Seat, expected: unknown[][]) {
  return eventually(() => expect(statusMessages(seat)).toEqual(expected));
}

/** A tenant with an order, and members without access to it. */
async function openOrder() {
  const testTenant = await openTestTenant();
  const { tenantId, supplier, customer } = testTenant;
  const product = await listProduct(supplier);
  const order = await placed(customer, product);
  return { ...testTenant, tenantId, product, order };
}

describe("a channel", () => {
  it("can be joined by the order's customer, its suppliers, admins and clients, and by nobody else", async () => {
    const { tenantId, product, ...testTenant } = await openOrder();
    const [second, client, rival, neighbour, suspended, elsewhere] = await Promise.all([
      register({ tenant_id: tenantId, role: "supplier" }),
      registerClient(tenantId),
      register({ tenant_id: tenantId, role: "supplier" }),
      register({ tenant_id: tenantId }),
      registerClient(tenantId),
      openTestTenant(),
    ]);
    const items = [item(await listProduct(second)), item(product)];
    const [order, machineElsewhere] = await Promise.all([
      placed(testTenant.customer, product, 1, { items }),
      registerClient(elsewhere.tenantId),
      supabaseAs(testTenant.operator)
        .from("members")
        .update({ status: "suspended" })
        .eq("user_id", suspended.id)
        .throwOnError(),
      // Neighbour and rival have their own products and orders.
      listProduct(rival).then((mint) => placed(neighbour, mint)),
    ]);
    const refused = `Unauthorized: You do not have permissions to read from this Channel topic: order:${order.id}`;
    const outside = {
      rival,
      neighbour,
      suspended,
      machineElsewhere,
      "the operator elsewhere": elsewhere.operator,
      "the supplier elsewhere": elsewhere.supplier,
      "the customer elsewhere": elsewhere.customer,
      anon: undefined,
    };
    const answers = await Promise.all(
      Object.entries(outside).map(async ([name, person]) => [
        name,
        await enter(person, order).then(
          () => "joined",
          (error) => error.message,
        ),
      ]),
    );
    expect(answers).toEqual(Object.keys(outside).map((name) => [name, refused]));

    const seats = await Promise.all(
      [testTenant.customer, testTenant.supplier, second, testTenant.operator, client].map((as) =>
        enter(as, order),
      ),
    );
    await moved(testTenant.operator, order, "confirmed");
    for (const seat of seats) await hears(seat, [[STATUS, "confirmed", "pending"]]);
  });

  it("has one name, and refuses all others", async () => {
    const { operator, order } = await openOrder();
    const id: string = order.id;
    const names = [
      "order:",
      "order:*",
      "order:%",
      "order:not-an-id",
      `order:${id.toUpperCase()}`,
      `order:${id.replaceAll("-", "")}`,
      `order:{${id}}`,
      `order:${id} `,
      `order:${id}\n`,
      `order:${id}:`,
      `order:${id}' or true --`,
      ` order:${id}`,
      `orders:${id}`,
      `x\norder:${id}`,
      `order:${randomUUID()}`,
      id,
      "anything",
    ];
    const answers = await Promise.all(
      names.map((name) =>
        join(operator, name).then(
          () => `joined ${name}`,
          (error) => error.message,
        ),
      ),
    );
    for (const answer of answers) expect(answer).toContain("Unauthorized: ");
  });

  it("sends each listener the visible changes in order, and none of other orders", async () => {
    const { operator, supplier, customer, product, order } = await openOrder();
    const other = await placed(customer, product);
    const [seat, next] = await Promise.all([enter(customer, order), enter(supplier, other)]);
    await moved(operator, order, "confirmed", "the customer must not read this here");
    expect((await pay(operator, order)).status).toBe(201);
    const shipped = await moved(operator, order, "shipped");
    await moved(operator, other, "cancelled");

    await hears(seat, [
      [STATUS, "confirmed", "pending"],
      [PAYMENT, "confirmed", "paid"],
      [STATUS, "shipped", "paid"],
    ]);
    await hears(next, [[STATUS, "cancelled", "pending"]]);
    const { updated_at, ...last } = seat.heard[2]?.payload ?? {};
    expect(last).toEqual({
      id: order.id,
      number: order.number,
      status: "shipped",
      old_status: "confirmed",
      payment_status: "paid",
      old_payment_status: "paid",
    });
    expect(new Date(updated_at as string)).toEqual(new Date(shipped.updated_at));
    expect(seat.heard[1]?.payload).toMatchObject({
      old_status: "confirmed",
      old_payment_status: "pending",
    });
  });

  it("sends nothing about a move that was refused or rolled back", async () => {
    const { operator, customer, order } = await openOrder();
    const seat = await enter(customer, order);
    // The move is executed before the check of the customer's rights fails.
    await moved(operator, order, "processing");
    expect((await move(customer, order, "cancelled")).status).toBe(403);
    await expect(
      query(`do $$ begin
        update public.orders set status = 'shipped' where id = '${order.id}';
        raise exception 'undone';
      end $$`),
    ).rejects.toThrow("undone");
    // An unchanged status is not a move.
    await query("update public.orders set status = status, updated_at = now() where id = $1", [
      order.id,
    ]);
    await moved(operator, order, "shipped");
    await hears(seat, [
      [STATUS, "processing", "pending"],
      [STATUS, "shipped", "pending"],
    ]);
  });

  it("repeats earlier messages on request", async () => {
    const { operator, supplier, order } = await openOrder();
    const since = Date.now() - 60_000;
    await moved(operator, order, "confirmed");
    await moved(operator, order, "shipped");
    const seat = await enter(supplier, order, { replay: { since } });
    await hears(seat, [
      [STATUS, "confirmed", "pending"],
      [STATUS, "shipped", "pending"],
    ]);
  });
});

describe("an order", () => {
  it("moves when messages cannot be sent", async () => {
    const { order } = await openOrder();
    await expect(
      query(`do $$ begin
        alter function realtime.send(jsonb, text, text, boolean) rename to send_no_more;
        update public.orders set status = 'confirmed' where id = '${order.id}';
        raise exception 'it is %', (select o.status from public.orders o where o.id = '${order.id}');
      end $$`),
    ).rejects.toThrow("it is confirmed");
  });
});

describe("only the database", () => {
  it("can send on a channel, whoever may listen", async () => {
    const { tenantId, operator, supplier, customer, order } = await openOrder();
    const client = await registerClient(tenantId);
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const people = [customer, supplier, operator, client];
    const listener = await enter(customer, order);
    const lie = { id: order.id, status: "delivered", payment_status: "paid" };
    const topic = `order:${order.id}`;
    const { url, anon_key } = ownStack;

    for (const as of people) {
      const seat = await enter(as, order);
      await seat.channel.send({ type: "broadcast", event: STATUS, payload: lie });
      await expect(seat.channel.httpSend(STATUS, lie)).rejects.toThrow("Unauthorized");
    }
    for (const as of [...people, rival, undefined]) {
      const answer = await fetch(`${url}/realtime/v1/api/broadcast`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          apikey: anon_key,
          authorization: `Bearer ${as?.token ?? anon_key}`,
        },
        body: JSON.stringify({
          messages: [
            { topic, event: STATUS, payload: lie, private: true },
            // A message on the public channel of that name does not arrive on the private one.
            { topic, event: STATUS, payload: lie, private: false },
          ],
        }),
      });
      // Accepted and dropped, as hosted, so that the answer does not reveal which topics exist.
      expect(answer.status).toBe(202);
      // The database's own functions are not accessible.
      const { status } = await supabaseAs(as)
        .schema("realtime" as never)
        .rpc("send", { payload: lie, event: STATUS, topic });
      expect(status).toBe(406);
    }
    await moved(operator, order, "confirmed");
    await hears(listener, [[STATUS, "confirmed", "pending"]]);
  });

  it("is separate from the public channel with the same name, where anybody can send", async () => {
    const { operator, order } = await openOrder();
    const [stranger, seat] = await Promise.all([
      enter(undefined, order, { isPrivate: false }),
      enter(operator, order),
    ]);
    await moved(operator, order, "confirmed");
    await hears(seat, [[STATUS, "confirmed", "pending"]]);
    await stranger.channel.httpSend("hello", { status: "none" });
    await hears(stranger, [["hello", "none", undefined]]);
  });
});

describe("presence", () => {
  it("shows customer and supplier to each other until they leave, and to nobody at another order", async () => {
    const { supplier, customer, operator, product, order } = await openOrder();
    const other = await placed(customer, product);
    const [buyer, seller, watcher, aside] = await Promise.all([
      enter(customer, order),
      enter(supplier, order),
      enter(operator, order),
      enter(operator, other),
    ]);
    expect(await buyer.channel.track({ name: "Cleo" })).toBe("ok");
    expect(await seller.channel.track({ name: "Sana" })).toBe("ok");
    const sees = (seat: Seat, names: string[]) =>
      eventually(() => expect(seat.present()).toEqual(names));
    // A listener that does not track itself is not shown.
    for (const seat of [buyer, seller, watcher]) await sees(seat, ["Cleo", "Sana"]);
    await buyer.client.removeAllChannels();
    for (const seat of [seller, watcher]) await sees(seat, ["Sana"]);
    const late = await enter(customer, order);
    await sees(late, ["Sana"]);
    await aside.channel.track({ name: "Olu" });
    await sees(aside, ["Olu"]);
    expect(watcher.present()).toEqual(["Sana"]);
  });

  it("shows no supplier to another one", async () => {
    const { supplier, customer, operator, product, tenantId } = await openOrder();
    const second = await register({ tenant_id: tenantId, role: "supplier" });
    const mint = await listProduct(second, { name: "Mint" });
    const shared = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(product), items: [item(product), item(mint)] },
    });
    const [seller, rival, watcher] = await Promise.all([
      enter(supplier, shared),
      enter(second, shared),
      enter(operator, shared),
    ]);
    await seller.channel.track({ name: "Sana" });
    await eventually(() => expect(watcher.present()).toEqual(["Sana"]));
    await rival.channel.track({ name: "Rosa" });
    await eventually(() => expect(watcher.present()).toEqual(["Rosa", "Sana"]));
    await moved(operator, shared, "confirmed");
    for (const seat of [seller, rival]) await hears(seat, [[STATUS, "confirmed", "pending"]]);
    expect(seller.present()).not.toContain("Rosa");
    expect(rival.present()).not.toContain("Sana");
  });
});

describe("members without access", () => {
  it("are disconnected when their token is refreshed: removed, suspended or with another role", async () => {
    const { operator, tenantId, order } = await openOrder();
    const [witness, rival, ...machines] = await Promise.all([
      enter(operator, order),
      register({ tenant_id: tenantId, role: "supplier" }),
      registerClient(tenantId),
      registerClient(tenantId),
      registerClient(tenantId),
    ]);
    const [removed, suspended, reassigned] = machines as [Person, Person, Person];
    const seats = await Promise.all(machines.map((machine) => enter(machine, order)));
    for (const { channel } of seats) await channel.track({ name: "machine" });
    await eventually(() => expect(witness.present()).toHaveLength(3));

    const { supplier_id } = await must("GET", "/auth/me", { as: rival });
    const members = () => supabaseAs(operator).from("members");
    await members().delete().eq("user_id", removed.id).throwOnError();
    await members().update({ status: "suspended" }).eq("user_id", suspended.id).throwOnError();
    await members()
      .update({ role: "supplier", supplier_id })
      .eq("user_id", reassigned.id)
      .throwOnError();

    const reason = `You do not have permissions to read from this Channel topic: order:${order.id}`;
    await Promise.all(
      machines.map(async (machine, i) => {
        const seat = seats[i] as Seat;
        const { data } = await supabaseAs().auth.refreshSession({
          refresh_token: machine.refreshToken,
        });
        const token = data.session?.access_token ?? "";
        await seat.client.realtime.setAuth(token);
        await eventually(() => expect(seat.ended).toEqual([reason]));
        await expect(enter({ ...machine, token }, order)).rejects.toThrow(reason);
      }),
    );
    await eventually(() => expect(witness.present()).toEqual([]));
    await moved(operator, order, "confirmed");
    await hears(witness, [[STATUS, "confirmed", "pending"]]);
    expect(seats.flatMap(({ heard }) => heard)).toEqual([]);
  });
});

describe("the client", () => {
  function clientOf(person: Person) {
    const { url, anon_key } = ownStack;
    const client = createClient(url, anon_key, {
      accessToken: async () => person.token,
      realtime: { transport: ws as never },
    });
    onTestFinished(async () => {
      await client.supabase.removeAllChannels();
      await client.supabase.realtime.disconnect();
    });
    return client;
  }

  it("receives changes of the order and presence", async () => {
    const { operator, supplier, customer, order } = await openOrder();
    const [buyer, seller] = [clientOf(customer), clientOf(supplier)];
    const reported: string[] = [];
    const present: Presence[][] = [];
    const [here, there] = await Promise.all([
      buyer.realtime.order(order.id, {
        onStatus: ({ old_status, status }) => reported.push(`${old_status} to ${status}`),
        onPayment: ({ number, payment_status }) => reported.push(`${number} ${payment_status}`),
        onPresence: (people) => present.push(people),
      }),
      seller.realtime.order(order.id, {}),
    ]);
    await there.track({ name: "Atlas Crafts" });
    await eventually(() => expect(present.at(-1)).toEqual([{ name: "Atlas Crafts" }]));
    await there.track({ name: "Atlas Crafts", packing: true });
    await eventually(() =>
      expect(present.at(-1)).toEqual([{ name: "Atlas Crafts", packing: true }]),
    );
    await moved(operator, order, "confirmed");
    expect((await pay(operator, order)).status).toBe(201);
    await moved(operator, order, "shipped");
    await eventually(() =>
      expect(reported).toEqual(["pending to confirmed", "1 paid", "confirmed to shipped"]),
    );
    await there.unsubscribe();
    await eventually(() => expect(present.at(-1)).toEqual([]));
    await here.unsubscribe();
    expect(buyer.supabase.getChannels()).toEqual([]);
  });

  it("reports moves of pieces without details that one supplier may not see of another", async () => {
    const { rival, supplier, customer, order, some } = await placeMixed();
    const reported: string[] = [];
    await clientOf(rival).realtime.order(order.id, { onPieces: (event) => reported.push(event) });
    const seat = await enter(rival, order);
    const shipment = (await ship(supplier, order, { items: some(0, 2) })).body;
    await changeShipment(supplier, shipment, { status: "void" });
    await cancelItems(supplier, order, some(0, 1));
    const events = ["shipment.created", "shipment.void", "order.items_cancelled"];
    await eventually(() => expect(reported).toEqual(events));
    await eventually(() =>
      expect(seat.heard.filter(({ event }) => events.includes(event))).toEqual(
        events.map((event) => expect.objectContaining({ event })),
      ),
    );
    for (const { event, payload } of seat.heard) {
      if (events.includes(event)) expect(payload).toMatchObject({ id: order.id });
      expect(JSON.stringify(payload)).not.toContain(shipment.id);
      expect(JSON.stringify(payload)).not.toContain(shipment.supplier_id);
    }
    expect((await getOrder(customer, order)).status).toBe("processing");
  });

  it("is refused for an order that its user cannot see, and closes the channel", async () => {
    const { tenantId, order } = await openOrder();
    const client = clientOf(await register({ tenant_id: tenantId }));
    await expect(client.realtime.order(order.id, {})).rejects.toThrow("Unauthorized");
    expect(client.supabase.getChannels()).toEqual([]);
  });
});
