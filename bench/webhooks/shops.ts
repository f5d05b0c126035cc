import type pg from "pg";

/** Tenants with ten registrations each. */
export const TENANTS = 50;
export const PER_TENANT = 10;
export const REGISTRATIONS = TENANTS * PER_TENANT;

/**
 * Another tenant has this many receivers that may hang. They come after those of the other tenants.
 */
export const HANGING = 40;
const HANGING_TENANT = TENANTS + 1;

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** All ten registrations of a tenant receive events of orders, the first one also of products. */
export type Event = "order.created" | "product.updated";

const ORDER = {
  event: "order.created",
  timestamp: "2026-01-01T00:00:00.000Z",
  sequence: 0,
  data: {
    order: {
      id: "00000000-0000-4000-8000-0000000000b1",
      number: 1,
      status: "pending",
      payment_status: "pending",
      currency: "EUR",
      total: 37.5,
      total_amount: 37.5,
      shipping_address: { street: "1 Market Street", city: "Fez", postal_code: "30000" },
      items: Array.from({ length: 5 }, (_, position) => ({
        id: `00000000-0000-4000-8000-0000000000c${position}`,
        position: position + 1,
        product_id: `00000000-0000-4000-8000-0000000000f${position}`,
        supplier_id: "00000000-0000-4000-8000-0000000000d1",
        name: "Saffron from the mountains, a gram in a box of glass",
        quantity: 1,
        price: 7.5,
        amount: 7.5,
      })),
    },
  },
};

/** A payload with the size of an order; its sequence number is the event's. */
export const PAYLOAD = JSON.stringify(ORDER);

const TENANT = "('00000000-0000-4000-8000-' || lpad(t::text, 12, '0'))::uuid";

/** Creates the tenants with their registrations at these addresses. */
export async function openShops(db: pg.Client, urls: string[]): Promise<void> {
  await db.query(
    `insert into public.tenants (id, name)
     select ${TENANT}, 'Tenant ' || t from generate_series(1, ${HANGING_TENANT}) as t`,
  );
  await db.query(
    `insert into public.webhooks (tenant_id, url, events, secret)
     select ${TENANT}, u.url, case u.place % ${PER_TENANT}
       when 1 then array['order.created', 'product.updated'] else array['order.created'] end, $2
     from unnest($1::text[]) with ordinality as u (url, place)
     cross join lateral (values (least(${HANGING_TENANT}, 1 + (u.place - 1) / ${PER_TENANT}))) as tenant (t)`,
    [urls, SECRET],
  );
}

/** The numbers of the receivers of an event of a tenant (from 1). */
export function listeners(tenant: number, event: Event): number[] {
  const first = (tenant - 1) * PER_TENANT;
  const many = event === "order.created" ? PER_TENANT : 1;
  return Array.from({ length: many }, (_, at) => first + at);
}

/**
 * Writes events in one transaction, as the triggers do: to the tenants from 1 to `tenants` in turn, with sequence
 * numbers from `first`.
 */
export function writeEvents(
  db: pg.Client,
  event: Event,
  { first, count, tenants }: { first: number; count: number; tenants: number },
): Promise<unknown> {
  return db.query(
    `insert into public.events (tenant_id, name, payload)
     select ${TENANT}, $1, jsonb_set($2::jsonb, '{sequence}', to_jsonb(n))
     from generate_series($3::integer, $3::integer + $4::integer - 1) as n
     cross join lateral (values (1 + n % $5::integer)) as tenant (t)`,
    [event, PAYLOAD, first, count, tenants],
  );
}

/** Writes events for the receivers that may hang. */
export function writeToHanging(db: pg.Client, count: number): Promise<unknown> {
  return db.query(
    `insert into public.events (tenant_id, name, payload)
     select ${TENANT}, 'order.created', jsonb_set($1::jsonb, '{sequence}', to_jsonb(n))
     from generate_series(1, $2::integer) as n
     cross join lateral (values (${HANGING_TENANT})) as tenant (t)`,
    [PAYLOAD, count],
  );
}
