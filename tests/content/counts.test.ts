import { expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { must, openGuest, openMarketplace, type Person } from "../souk.js";
import { moved, openNewsroom, publish, published, saved, write } from "./writing.js";

// A list tells how much there is without counting it: the sums have to be what counting comes to.

it("tells how much there is, to each what it sees, whatever was moved, hidden and deleted", async () => {
  const room = await openNewsroom();
  const other = await openMarketplace(room.operator);
  const guest = await openGuest(room.marketplace);
  const total = async (as: Person, query = "") =>
    (await must("GET", `/api/content/static_pages?limit=1${query}`, { as })).total;
  const listed = async (as: Person, query = "") =>
    (await must("GET", `/api/content/static_pages?limit=1000${query}`, { as })).content.length;
  /** Each list is as long as its total says. */
  const agree = async () => {
    for (const as of [room.editor, room.customer, room.supplier, guest]) {
      for (const wish of [
        "",
        `&marketplace_id=${room.marketplace.id}`,
        `&marketplace_id=${other.id}`,
      ]) {
        expect(await total(as, wish), wish).toBe(await listed(as, wish));
      }
    }
    for (const status of ["draft", "in_review", "published", "archived"]) {
      expect(await total(room.editor, `&status=${status}`)).toBe(
        await listed(room.editor, `&status=${status}`),
      );
    }
  };

  const place = { marketplace_id: room.marketplace.id };
  const shown = await publish(room.chief, place);
  await publish(room.chief, { ...place, visibility: "members" });
  await publish(room.chief, { ...place, visibility: "roles", visible_to: ["supplier"] });
  const draft = await write(room.editor, { marketplace_id: other.id });
  await agree();
  expect(await total(room.editor)).toBe(4);
  expect([await total(guest), await total(room.customer), await total(room.supplier)]).toEqual([
    1, 2, 3,
  ]);

  await moved(room.editor, draft, "submit");
  const hidden = await saved(room.editor, shown, { visibility: "members" });
  await published(room.chief, hidden);
  await agree();
  expect(await total(guest)).toBe(0);

  // Many rows that count become one, and come to the same.
  const rows = async () => {
    const counted = "select 1 from private.content_counts where tenant_id = $1";
    return (await query(counted, [room.tenantId])).length;
  };
  for (let n = 0; n < 30; n += 1) {
    await moved(room.reviewer, draft, "reject");
    await moved(room.editor, draft, "submit");
  }
  const before = await rows();
  await runJob("gather-content-counts");
  expect(await rows()).toBeLessThan(before);
  await agree();

  await must("DELETE", `/api/content/static_pages/${hidden.id}`, { as: room.chief });
  await must("DELETE", `/api/content/static_pages/${draft.id}`, { as: room.chief });
  await agree();
  expect(await total(room.editor)).toBe(3);
});
