import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { mailsOf } from "../mail/mailbox.js";
import { call, listProduct, must, openBazaar, type Person, supabaseAs } from "../souk.js";
import { arrived, listen } from "../webhooks/receiving.js";
import { getOrder, placed } from "./ordering.js";

// The event of a note: the operator's webhooks hear of every one, and nobody else of an internal one.

const write = (as: Person, order: { id: string }, body: object) =>
  must("POST", `/api/orders/${order.id}/notes`, { as, body });

async function openOrder() {
  const bazaar = await openBazaar();
  const order = await placed(bazaar.customer, await listProduct(bazaar.supplier));
  return { ...bazaar, order };
}

describe("the event of a note", () => {
  it("carries the note and its order to a webhook, whoever wrote it and for whom", async () => {
    const { operator, supplier, customer, order } = await openOrder();
    const there = await listen(operator, ["note.created"]);
    const notes = [
      await write(customer, order, { text: "Ring twice." }),
      await write(supplier, order, { text: "One has a dent." }),
      await write(operator, order, { text: "It left today.", visibility: "customer" }),
    ];
    const bodies = (await arrived(there, 3)).map(({ body }) => body);
    for (const [i, note] of notes.entries()) {
      const body = bodies.find(({ data }) => data.note.id === note.id);
      expect(body).toMatchObject({
        event: "note.created",
        data: { note, order: { id: order.id, number: order.number } },
      });
      // The order as it was then, this note among its own.
      expect(body.data.order.notes).toHaveLength(i + 1);
    }
  });

  it("is not there when the note was refused", async () => {
    const { operator, customer, order } = await openOrder();
    const body = { text: "For myself.", visibility: "internal" };
    const path = `/api/orders/${order.id}/notes`;
    expect((await call("POST", path, { as: customer, body })).status).toBe(403);
    await write(customer, order, { text: "For all." });
    const { data: events } = await supabaseAs(operator)
      .from("events")
      .select("payload, status")
      .eq("name", "note.created")
      .throwOnError();
    expect(events).toMatchObject([
      { payload: { data: { note: { text: "For all." } } }, status: "pending" },
    ]);
  });

  it("is read by nobody whom the note is not for", async () => {
    const { operator, supplier, customer, order } = await openOrder();
    await write(operator, order, { text: "They never pay in time." });
    for (const as of [customer, supplier]) {
      const { data } = await supabaseAs(as).from("events").select();
      expect(data).toEqual([]);
      expect((await call("GET", "/api/events", { as })).status).toBe(403);
      expect((await getOrder(as, order)).notes).toEqual([]);
    }
    // Nor is anything of it said on the channel of the order.
    const heard = await query("select event from realtime.messages where topic = $1", [
      `order:${order.id}`,
    ]);
    expect(heard).toEqual([]);
  });

  it("writes a letter to the buyer only of a note that is for the buyer", async () => {
    const { operator, customer, order } = await openOrder();
    await must("POST", "/api/email-templates", {
      as: operator,
      body: {
        key: "noted",
        name: "Noted",
        subject: "A note",
        html_content: "<p>{{ note.text }} {{ customer.name }}</p>",
        trigger_events: ["note.created"],
      },
    });
    await write(operator, order, { text: "They never pay in time." });
    const about = async () => (await mailsOf(operator, "template=noted")).map(({ to }) => to);
    expect(await about()).toEqual([operator.email]);
    await write(operator, order, { text: "It left today.", visibility: "customer" });
    expect(await about()).toEqual([customer.email, operator.email]);
  });
});
