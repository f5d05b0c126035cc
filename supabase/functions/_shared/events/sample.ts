// The records in the examples of events: one order of one product, and the users of it.

/** A constant id for each hexadecimal digit. */
export const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

/** A time in the format of event bodies. */
export const MOMENT = "2026-01-01T12:00:00.000Z";

/** Times in the format of records, and as texts in the time zone of the tenant. */
export const PLACED = "2026-01-01T12:00:00.000000+00:00";
export const PLACED_LOCAL = "2026-01-01T17:00:00+05:00";
export const MOVED = "2026-01-02T09:30:00.000000+00:00";
export const MOVED_LOCAL = "2026-01-02T14:30:00+05:00";

export const tenant_id = id("a");
export const marketplace_id = id("b");
export const supplier_id = id("c");
export const product_id = id("d");
export const order_id = id("f");
export const operator_id = id("1");
export const customer_id = id("2");
