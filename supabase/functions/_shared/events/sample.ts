// What the samples of events are about: one order of one product, and who had to do with it.

/** An id that is the same each time, told from others by a hexadecimal digit. */
export const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

/** As bodies say it. */
export const MOMENT = "2026-01-01T12:00:00.000Z";

/** As records say it. */
export const PLACED = "2026-01-01T12:00:00.000000+00:00";
export const MOVED = "2026-01-02T09:30:00.000000+00:00";

export const tenant_id = id("a");
export const marketplace_id = id("b");
export const supplier_id = id("c");
export const product_id = id("d");
export const order_id = id("f");
export const operator_id = id("1");
export const customer_id = id("2");
