import type { Role } from "../http/roles.ts";
import type { Language } from "../values/languages.ts";

/** The names of roles, for letters and for users of the client. */
export const ROLE_NAMES: Record<Language, Record<Role, string>> = {
  en: { customer: "Customer", supplier: "Supplier", client: "Shop system", admin: "Admin" },
  de: { customer: "Kunde", supplier: "Lieferant", client: "Shopsystem", admin: "Admin" },
  ar: { customer: "عميل", supplier: "مورّد", client: "نظام المتجر", admin: "مدير" },
};
