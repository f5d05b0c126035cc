import { z } from "@hono/zod-openapi";
import { limit, pageFields } from "../http/page.ts";
import { decimal } from "../values/parameters.ts";
import { heading, periodQuery, scopeQuery } from "./schema.ts";

const money = z.number();
const change = z.string().nullable().openapi({
  description:
    "Against the same number of days just before, in percent; null if the earlier value was zero or negative.",
  example: "+12.5%",
});

const basis = z.enum(["booked", "placed"]);
const groupBy = z.enum(["hour", "day", "week", "month", "quarter"]);

export const currencyQuery = {
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .openapi({
      description: "Default: the currency of the marketplace, or of most orders.",
      example: "EUR",
    }),
};

const salesQuery = {
  ...periodQuery,
  ...scopeQuery,
  ...currencyQuery,
  basis: basis.default("booked").openapi({
    description:
      "Cancellations and returns count on their own day (booked) or on the day of their order (placed).",
  }),
};

const groupByQuery = {
  group_by: groupBy.default("day").openapi({ description: "hour: for at most 31 days." }),
};

/** The currency of a response, and the sales in others. */
const currencies = {
  currency: z
    .string()
    .nullable()
    .openapi({ description: "Null if the tenant has no marketplace." }),
  other_currencies: z.array(z.object({ currency: z.string(), revenue: money, orders: z.number() })),
};

/** Beside revenue, wherever it is a sum of sales. */
const taxes = {
  net_revenue: money.openapi({ description: "The revenue without tax." }),
  tax: money.openapi({ description: "The tax in the revenue." }),
};

/** The figures of every step and sum of sales. */
const sales = {
  ...taxes,
  average_order: money
    .nullable()
    .openapi({ description: "Value placed / orders; null without orders." }),
  items: z.number().int().openapi({ description: "Pieces placed." }),
  cancelled: money,
  returned: money,
};

/** Figures of whole orders: null with a supplier or a category. */
const payments = {
  delivery_amount: money.nullable(),
  received: money.nullable().openapi({
    description:
      "Payments of the period, less payments that were reversed in it, with delivery. Null with a supplier or a category.",
  }),
  refunded: money.nullable(),
};

export const overviewQuery = z.object(salesQuery);

export const overview = z
  .object({
    ...heading,
    basis,
    ...currencies,
    revenue: z.object({
      total: money.openapi({
        description:
          "Items ordered less items cancelled and returned, by `basis`. Orders that are not paid count too: `received` is what was paid.",
      }),
      ...taxes,
      change,
      period: heading.period,
      ...payments,
    }),
    orders: z.object({
      total: z.number().int(),
      change,
      average_order: sales.average_order,
    }),
    customers: z.object({
      total: z.number().int().openapi({ description: "Customers who ordered, in any currency." }),
      new: z
        .number()
        .int()
        .openapi({ description: "Customers whose first order is in the period." }),
      change,
    }),
    conversion_rate: z.object({
      value: z.number().nullable().openapi({ description: "Percent of visitors who ordered." }),
      change,
    }),
  })
  .openapi("Overview");

const step = z.object({
  date: z.string().openapi({
    description:
      "The first day of the step; for an hour, its time with the offset of the tenant's time zone.",
    example: "2026-11-23",
  }),
  revenue: money,
  orders: z.number().int(),
  ...sales,
});

export const salesReportQuery = z.object({ ...salesQuery, ...groupByQuery });

export const salesReport = z
  .object({
    ...heading,
    basis,
    ...currencies,
    group_by: groupBy,
    data: z.array(step),
    summary: z.object({
      total_revenue: money,
      total_orders: z.number().int(),
      growth_rate: z.number().nullable().openapi({
        description:
          "The change of revenue as a number; null if the earlier value was zero or negative.",
      }),
      ...sales,
      ...payments,
    }),
  })
  .openapi("SalesReport");

export const by = z.enum(["marketplace", "category", "supplier", "product", "source"]);

export const revenueReportQuery = z.object({
  ...salesQuery,
  ...groupByQuery,
  by: by.default("marketplace").openapi({
    description: "source: what the operator itself earns: sales, commissions and promotion.",
  }),
});

export const revenueReport = z
  .object({
    ...heading,
    basis,
    ...currencies,
    group_by: groupBy,
    by,
    total: money,
    change,
    data: z.array(step),
    breakdown: z
      .array(
        z.object({
          id: z.string().nullable().openapi({
            description: "Null for the operator's own sales, and for products without a category.",
          }),
          name: z.string().nullable(),
          revenue: money.nullable(),
          orders: z.number().int().nullable(),
          share: z.number().nullable().openapi({ description: "In percent." }),
        }),
      )
      .openapi({ description: "Sorted by revenue, highest first, at most 1000." }),
  })
  .openapi("RevenueReport");

export const topProductsQuery = z.object({
  ...salesQuery,
  limit: decimal(z.number().int().min(1))
    .default(10)
    .transform((wanted) => Math.min(wanted, 100))
    .openapi({ description: "At most 100; more is cut to that." }),
  by: z.enum(["revenue", "sales_count"]).default("revenue"),
});

export const topProducts = z
  .object({
    ...heading,
    basis,
    ...currencies,
    by: z.enum(["revenue", "sales_count"]),
    products: z.array(
      z.object({
        id: z.guid(),
        name: z.string(),
        sales_count: z
          .number()
          .int()
          .openapi({ description: "Pieces, minus cancelled and returned ones." }),
        revenue: money,
        rank: z.number().int(),
        change: change.openapi({ description: "The change of its revenue." }),
      }),
    ),
  })
  .openapi("TopProducts");

const segmentName = z.enum(["prospects", "lost", "at_risk", "vip", "new", "returning"]);

export const segmentsQuery = z.object({ ...scopeQuery, ...currencyQuery });

export const segments = z
  .object({
    ...heading,
    currency: currencies.currency,
    segments: z.array(
      z.object({
        name: segmentName,
        criteria: z.string(),
        count: z.number().int(),
        revenue: money.openapi({ description: "Within 365 days." }),
        revenue_share: z
          .number()
          .openapi({ description: "Share of all revenue within 365 days, in percent." }),
      }),
    ),
  })
  .openapi("CustomerSegments");

export const segmentCustomersQuery = segmentsQuery.extend({
  page: decimal(z.number().int().min(1).max(1_000_000)).default(1),
  limit,
});

export const segmentCustomers = z
  .object({
    ...heading,
    name: segmentName,
    currency: currencies.currency,
    customers: z.array(
      z.object({
        id: z.guid(),
        name: z.string().nullable().openapi({ description: "Null for suppliers." }),
        email: z.string().nullable(),
        created_at: z.string(),
        orders: z.number().int().openapi({ description: "Within 365 days." }),
        revenue: money.openapi({ description: "Within 365 days." }),
        first_ordered_at: z.string().nullable(),
        last_ordered_at: z.string().nullable(),
      }),
    ),
    ...pageFields,
  })
  .openapi("SegmentCustomers");

const cohortType = z.enum(["retention", "revenue"]);

export const cohortsQuery = z.object({
  ...scopeQuery,
  ...currencyQuery,
  type: cohortType.default("retention"),
  months: decimal(z.number().int().min(1).max(36))
    .default(12)
    .openapi({ description: "Including the current one." }),
});

export const cohorts = z
  .object({
    ...heading,
    type: cohortType,
    currency: currencies.currency,
    cohorts: z.array(
      z.object({
        period: z.string().openapi({ description: "The month.", example: "2026-01" }),
        users: z
          .number()
          .int()
          .openapi({ description: "Customers whose first order is in the month." }),
        retention: z.array(z.number()).optional().openapi({
          description: "Percent of them who ordered in the same month, in the next one, and so on.",
        }),
        revenue: z
          .array(money)
          .optional()
          .openapi({ description: "Revenue per customer up to the end of each month." }),
      }),
    ),
  })
  .openapi("Cohorts");
