import { builtIn } from "./built_in_mail.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

export const operatorOrderPlaced = builtIn({
  isOptional: true,
  facts: {
    customer: { of: "customer.name", shown: "{{ customer.name | truncate: 120 }}" },
    marketplace: { of: "marketplace.name", shown: "{{ marketplace.name | truncate: 120 }}" },
  },
  items: [
    {
      of: "order.items",
      delivery: "order.delivery_amount",
      taxes: "order.tax_lines",
      sum: "order.total_amount",
      sumName: "total",
    },
  ],
  hasAddress: true,
  hasInvoice: true,
  sample: { ...SAMPLE_ORDER, user: { name: "Mina Haddad", email: "mina@example.com" } },
  words: {
    en: {
      subject: `New order${NUMBER}`,
      preheader: "Somebody has ordered.",
      title: "There is a new order",
      paragraphs: [`Order${NUMBER} was placed.`],
      facts: { customer: "Customer", marketplace: "Marketplace" },
    },
    de: {
      subject: `Neue Bestellung${NUMBER}`,
      preheader: "Es wurde bestellt.",
      title: "Es gibt eine neue Bestellung",
      paragraphs: [`Die Bestellung${NUMBER} ist eingegangen.`],
      facts: { customer: "Kunde", marketplace: "Marktplatz" },
    },
    ar: {
      subject: `طلب جديد${ARABIC_NUMBER}`,
      preheader: "وصل طلب جديد.",
      title: "هناك طلب جديد",
      paragraphs: [`وصل الطلب${ARABIC_NUMBER}.`],
      facts: { customer: "العميل", marketplace: "السوق" },
    },
  },
});
