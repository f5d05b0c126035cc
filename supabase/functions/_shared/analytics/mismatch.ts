import { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";

const mismatch = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    differences: z.array(
      z.object({
        rule: z.string().openapi({ description: "Which sums should be equal." }),
        currency: z.string().nullable().openapi({ description: "Null for numbers of visitors." }),
        day: z.iso.date().nullable().openapi({ description: "Null for all days." }),
        expected: z
          .number()
          .nullable()
          .openapi({ description: "By the orders, the book of sales, or the days of visitors." }),
        found: z.number().nullable(),
      }),
    ),
  })
  .openapi("SalesMismatch");

/** The event of the nightly comparison. */
export const analyticsEvents = defineEvent("analytics.mismatch", {
  description:
    "Figures of a marketplace differ from its orders or its days of visitors: at most 100 differences a night.",
  carried: { mismatch },
  sample: {
    mismatch: {
      id: sample.id("7"),
      tenant_id: sample.tenant_id,
      marketplace_id: sample.marketplace_id,
      differences: [{ rule: "returned", currency: "EUR", day: null, expected: 125, found: 112.5 }],
    },
  },
});
