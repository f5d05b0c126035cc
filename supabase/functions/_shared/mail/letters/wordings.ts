import type { Language } from "../../values/languages.ts";

type Wordings = Readonly<Record<string, string>>;

/** Liquid that shows a variable with a fixed set of values in words; unknown values are shown unchanged. */
export function worded(
  variable: string,
  words: Record<Language, Wordings>,
): Record<Language, string> {
  const cases = (wordings: Wordings) =>
    Object.entries(wordings).map(([value, word]) => `{% when "${value}" %}${word}`);
  const inLanguage = (language: Language) =>
    `{% case ${variable} %}${cases(words[language]).join("")}{% else %}{{ ${variable} | truncate: 50 }}{% endcase %}`;
  return { en: inLanguage("en"), de: inLanguage("de"), ar: inLanguage("ar") };
}

/** The types of exports. */
export const EXPORTS = {
  en: {
    sales: "Sales",
    revenue: "Revenue",
    orders: "Orders",
    order_items: "Items of orders",
    products: "Products",
    inventory: "Inventory",
    customers: "Customers",
    segments: "Customer segments",
    cohorts: "Cohorts",
    funnel: "Funnel",
    campaigns: "Campaigns",
    commissions: "Commissions",
  },
  de: {
    sales: "Verkäufe",
    revenue: "Umsatz",
    orders: "Bestellungen",
    order_items: "Bestellpositionen",
    products: "Produkte",
    inventory: "Bestand",
    customers: "Kunden",
    segments: "Kundensegmente",
    cohorts: "Kohorten",
    funnel: "Kaufverlauf",
    campaigns: "Kampagnen",
    commissions: "Provisionen",
  },
  ar: {
    sales: "المبيعات",
    revenue: "الإيرادات",
    orders: "الطلبات",
    order_items: "بنود الطلبات",
    products: "المنتجات",
    inventory: "المخزون",
    customers: "العملاء",
    segments: "شرائح العملاء",
    cohorts: "مجموعات العملاء",
    funnel: "مراحل الشراء",
    campaigns: "الحملات",
    commissions: "العمولات",
  },
};
