// Made from the names in the edge functions by `npm run types`. Do not edit.
import type { OrderStatus, Role } from "./openapi.generated.js";

/** The languages that have names. */
export type NameLanguage = "en" | "de" | "ar";

/** These languages, each by its own name. */
export const LANGUAGE_NAMES: Record<NameLanguage, string> = {
  "en": "English",
  "de": "Deutsch",
  "ar": "العربية"
};

/** The direction in which each of them is written. */
export const LANGUAGE_DIRECTIONS: Record<NameLanguage, "ltr" | "rtl"> = {
  "en": "ltr",
  "de": "ltr",
  "ar": "rtl"
};

/** The names of the statuses of an order. */
export const ORDER_STATUS_NAMES: Record<NameLanguage, Record<OrderStatus, string>> = {
  "en": {
    "pending": "Pending",
    "confirmed": "Confirmed",
    "processing": "Processing",
    "shipped": "Shipped",
    "delivered": "Delivered",
    "cancelled": "Cancelled",
    "returned": "Returned"
  },
  "de": {
    "pending": "Offen",
    "confirmed": "Bestätigt",
    "processing": "In Bearbeitung",
    "shipped": "Versandt",
    "delivered": "Zugestellt",
    "cancelled": "Storniert",
    "returned": "Zurückgegeben"
  },
  "ar": {
    "pending": "قيد الانتظار",
    "confirmed": "مؤكد",
    "processing": "قيد التجهيز",
    "shipped": "تم الشحن",
    "delivered": "تم التسليم",
    "cancelled": "ملغى",
    "returned": "مُرجع"
  }
};

/** The names of the roles of members. */
export const ROLE_NAMES: Record<NameLanguage, Record<Role, string>> = {
  "en": {
    "customer": "Customer",
    "supplier": "Supplier",
    "client": "Shop system",
    "admin": "Admin"
  },
  "de": {
    "customer": "Kunde",
    "supplier": "Lieferant",
    "client": "Shopsystem",
    "admin": "Admin"
  },
  "ar": {
    "customer": "عميل",
    "supplier": "مورّد",
    "client": "نظام المتجر",
    "admin": "مدير"
  }
};
