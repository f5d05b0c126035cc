import { expect, it } from "vitest";
import { query } from "../database.js";

// Every table of a tenant that users can change is in the audit log, or here with a reason.

/** Tables without a trigger of the audit log. */
const ELSEWHERE: Record<string, string> = {
  "public.audit_log": "the log itself",
  "public.bookings": "parts of orders",
  "public.campaign_auctions": "derived: the log of auctions",
  "public.campaign_statistics": "counters",
  "public.content_moves": "a log with its actor; the status of content is audited",
  "public.events": "derived: events of changes",
  "public.inventory_movements": "a log with its actor; the quantity is audited",
  "public.ledger_lines": "derived from orders, charges, adjustments and payouts",
  "public.mails": "a queue",
  "public.order_cancellation_items": "parts of cancellations",
  "public.order_commissions": "derived from orders",
  "public.order_item_commissions": "derived from orders",
  "public.order_items": "parts of orders",
  "public.order_return_items": "parts of returns",
  "public.order_status_changes": "a log with its actor; the status of orders is audited",
  "public.payment_sessions": "a log with its actor; the payments are audited",
  "public.placement_charges": "derived: a ledger. Refunds are audited as changes of their campaign",
  "public.published_content": "derived from content",
  "public.refunds": "a queue with its actor; booked refunds are audited as payments",
  "public.return_request_items": "parts of return requests",
  "public.shipment_items": "parts of shipments",
  "public.webhook_deliveries": "a queue",
};

interface Table {
  name: string;
  audited: string[];
  granted: string[];
}

const tables = () =>
  query<Table>(`
    select format('%s.%s', c.relnamespace::regnamespace, c.relname) as name,
      array(
        select lower(e.event)
        from pg_trigger t
        cross join lateral unnest(array['INSERT', 'UPDATE', 'DELETE'], array[4, 16, 8]) as e (event, bit)
        where t.tgrelid = c.oid and t.tgfoid = 'private.record_audit'::regproc and t.tgtype::integer & e.bit > 0
        order by 1
      ) as audited,
      array(
        select lower(p.name)
        from unnest(array['INSERT', 'UPDATE', 'DELETE']) as p (name)
        where has_table_privilege('authenticated', c.oid, p.name)
          or p.name <> 'DELETE' and has_any_column_privilege('authenticated', c.oid, p.name)
        order by 1
      ) as granted
    from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and (
        c.oid = 'public.tenants'::regclass
        or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
      )
    order by 1`);

it("has the changes of every table of a tenant, but for those with a reason", async () => {
  const all = (await tables()).filter(({ name }) => name.startsWith("public."));
  const without = all.filter(({ audited }) => audited.length === 0).map(({ name }) => name);
  expect(without).toEqual(Object.keys(ELSEWHERE));
});

it("has every change that members are granted to make directly", async () => {
  const missing = (await tables())
    .filter(({ name }) => !(name in ELSEWHERE))
    .flatMap(({ name, audited, granted }) =>
      granted.filter((event) => !audited.includes(event)).map((event) => `${event} of ${name}`),
    );
  expect(missing).toEqual([]);
});
