// A program that uses the client. package.test.ts runs it with the installed package in place of
// its source, in each runtime.
import { ApiError, createClient, type Order, type SoukClient } from "../src/index.js";
import { verifyWebhook } from "../src/verify-webhook.js";

export async function showOrders(url: string): Promise<void> {
  const souk: SoukClient = createClient(url, "a-key", { accessToken: async () => "a-token" });
  try {
    for await (const order of souk.orders.listAll({ status: "pending" })) show(order);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.log(error.code);
    // @ts-expect-error No error has this code.
    if (error.code === "PRICE_MISMTACH") return;
  }
}

function show({ id, total_amount }: Order): void {
  console.log(`${id} ${total_amount}`);
}

/** Only type-checked, never called. */
export function known(souk: SoukClient, id: string): Promise<void> {
  const paid: Promise<"pending" | "paid" | "failed" | "refunded"> = souk.orders
    .get(id)
    .then(({ payment_status }) => payment_status);
  const rows: AsyncIterable<{ external_id?: string }> = souk.products.export({ status: "active" });
  const text: AsyncIterable<string> = souk.products.export({ format: "csv" });
  const orders: Promise<string[]> = souk.events
    .list({ name: "order.created" })
    .then(({ events }) =>
      events.flatMap((event) => (event.event === "order.created" ? event.data.order.id : [])),
    );
  return Promise.all([paid, rows, text, orders]).then(() => souk.files.remove(id, id));
}

/** For supabase-js, json columns and functions have the types of the API's records. */
export async function typed({ supabase }: SoukClient, id: string): Promise<string[]> {
  const { data: product } = await supabase
    .from("products")
    .select("name, images, attributes")
    .eq("id", id)
    .single()
    .throwOnError();
  const { data: order } = await supabase
    .from("order_details")
    .select("items, shipping_address")
    .eq("id", id)
    .single()
    .throwOnError();
  const { data: found } = await supabase.rpc("list_products", { search: "lamp" }).throwOnError();
  // @ts-expect-error An image has a URL, not a name.
  product.images[0]?.name;
  return [
    ...product.images.map(({ url }) => url),
    ...product.attributes.map(({ name }) => name),
    ...order.items.map(({ name, price }) => `${name}: ${price.toFixed(2)}`),
    ...found.products.map(({ name }) => name),
    order.shipping_address?.city ?? "",
  ];
}

/** An event contains the records of its type. */
export async function statusesOf(souk: SoukClient): Promise<string[]> {
  const { events } = await souk.events.list();
  return events.map((event) => {
    if (event.event === "order.status_changed") return event.new_status;
    if (event.event === "shipment.created" && !event.truncated) return event.data.shipment.status;
    // @ts-expect-error A registration has no shipment.
    if (event.event === "user.registered") return event.data.shipment;
    return event.data && event.id;
  });
}

/** The compiler refuses each call. */
export function refused(souk: SoukClient): void {
  // @ts-expect-error No order has this status.
  souk.orders.listAll({ status: "lost" });
  // @ts-expect-error An order has items.
  souk.orders.place({ marketplace_id: "m1" });
  // @ts-expect-error A lookup has an id.
  souk.orders.get();
  // @ts-expect-error A list has no such parameter.
  souk.webhooks.list({ status: "pending" });
  // @ts-expect-error The table does not exist.
  souk.realtime.on("members", {}, () => {});
  // @ts-expect-error No event has this name.
  souk.events.listAll({ name: "order.lost" });
  // @ts-expect-error The secret is required.
  verifyWebhook({ payload: "", headers: {} });
}

declare const process: { argv: string[] } | undefined;

const address = typeof process === "undefined" ? undefined : process.argv[2];
if (address) showOrders(address);
