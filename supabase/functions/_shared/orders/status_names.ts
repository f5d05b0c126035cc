import type { z } from "@hono/zod-openapi";
import type { Language } from "../values/languages.ts";
import type { orderStatus } from "./statuses.ts";

/** The names of the statuses of an order, for templates and for users of the client. */
export const ORDER_STATUS_NAMES: Record<Language, Record<z.infer<typeof orderStatus>, string>> = {
  en: {
    pending: "Pending",
    confirmed: "Confirmed",
    processing: "Processing",
    shipped: "Shipped",
    delivered: "Delivered",
    cancelled: "Cancelled",
    returned: "Returned",
  },
  de: {
    pending: "Offen",
    confirmed: "Bestätigt",
    processing: "In Bearbeitung",
    shipped: "Versandt",
    delivered: "Zugestellt",
    cancelled: "Storniert",
    returned: "Zurückgegeben",
  },
  ar: {
    pending: "قيد الانتظار",
    confirmed: "مؤكد",
    processing: "قيد التجهيز",
    shipped: "تم الشحن",
    delivered: "تم التسليم",
    cancelled: "ملغى",
    returned: "مُرجع",
  },
};
