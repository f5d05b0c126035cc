import type { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { discount } from "./schema.ts";

type Discount = z.infer<typeof discount>;

/** A discount of the operator, as it was made or changed. */
function summer(changes: Partial<Discount> = {}): { discount: Discount } {
  return {
    discount: {
      id: sample.id("7"),
      tenant_id: sample.tenant_id,
      supplier_id: null,
      code: "SUMMER10",
      kind: "percentage",
      value: 10,
      currency: "EUR",
      marketplace_id: sample.marketplace_id,
      category_ids: null,
      product_ids: null,
      supplier_ids: null,
      minimum_subtotal: 50,
      starts_at: null,
      ends_at: "2026-09-01T00:00:00+00:00",
      uses_total: 1000,
      uses_per_customer: 1,
      borne_by: "operator",
      status: "active",
      uses: 0,
      costs: [],
      created_by: sample.operator_id,
      created_at: sample.PLACED,
      updated_at: sample.PLACED,
      ...changes,
    },
  };
}

const paused = summer({ status: "paused", updated_at: sample.MOVED });

/** The events about discounts. */
export const discountEvents = {
  ...defineEvent("discount.created", {
    description: "A discount was made.",
    carried: { discount },
    sample: summer(),
  }),
  ...defineEvent("discount.updated", {
    description: "A discount changed. Its uses by orders do not count.",
    carried: { discount },
    sample: paused,
  }),
  ...defineEvent("discount.deleted", {
    description: "A discount was deleted.",
    carried: { discount },
    sample: paused,
  }),
};
