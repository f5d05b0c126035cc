// A program that uses the client. package.test.ts runs it with the installed package in place of its
// source, wherever it has to work.
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

/** Types are checked here, and nothing is called. */
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
  const remarks: Promise<string[]> = souk.events
    .list({ name: "note.created" })
    .then(({ events }) =>
      events.flatMap((event) =>
        event.event === "note.created" && !event.truncated
          ? `${event.data.order.number}: ${event.data.note.text}`
          : event.event === "campaign.exhausted"
            ? event.data.campaign.id
            : [],
      ),
    );
  return Promise.all([paid, rows, text, orders, remarks]).then(() => souk.files.remove(id, id));
}

/** What is wrong is refused. */
export function refused(souk: SoukClient): void {
  // @ts-expect-error No order has this status.
  souk.orders.listAll({ status: "lost" });
  // @ts-expect-error An order has items.
  souk.orders.place({ marketplace_id: "m1" });
  // @ts-expect-error What is looked up has an id.
  souk.orders.get();
  // @ts-expect-error A list is asked for by fields that it has.
  souk.webhooks.list({ status: "pending" });
  // @ts-expect-error There is no such table to hear of.
  souk.realtime.on("members", {}, () => {});
  // @ts-expect-error No event has this name.
  souk.events.listAll({ name: "order.lost" });
  // @ts-expect-error A secret is needed.
  verifyWebhook({ payload: "", headers: {} });
}

declare const process: { argv: string[] } | undefined;

const address = typeof process === "undefined" ? undefined : process.argv[2];
if (address) showOrders(address);
