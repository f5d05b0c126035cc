import { builtIn } from "./built_in_mail.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER, SAMPLE_SUPPLIER } from "./sample_order.ts";

const IS_UNPAID = 'order.payment_status == "pending"';

export const supplierOrderPlaced = builtIn({
  isOptional: true,
  // The order has the items of this supplier only.
  items: [
    {
      of: "order.items",
      delivery: "order.delivery_amount",
      sum: "order.total_amount",
      sumName: "total",
    },
  ],
  hasAddress: true,
  sample: { ...SAMPLE_ORDER, ...SAMPLE_SUPPLIER },
  words: {
    en: {
      subject: `New order${NUMBER}`,
      preheader: "You have sold something.",
      title: "You have a new order",
      paragraphs: [
        `Order${NUMBER} has items of yours.`,
        { if: IS_UNPAID, text: "It is not paid yet." },
      ],
    },
    de: {
      subject: `Neue Bestellung${NUMBER}`,
      preheader: "Sie haben etwas verkauft.",
      title: "Sie haben eine neue Bestellung",
      paragraphs: [
        `Die Bestellung${NUMBER} enthält Artikel von Ihnen.`,
        { if: IS_UNPAID, text: "Sie ist noch nicht bezahlt." },
      ],
    },
    ar: {
      subject: `طلب جديد${ARABIC_NUMBER}`,
      preheader: "لقد بعت شيئًا.",
      title: "لديك طلب جديد",
      paragraphs: [
        `الطلب${ARABIC_NUMBER} يحتوي على منتجات لك.`,
        { if: IS_UNPAID, text: "لم يُدفع ثمنه بعد." },
      ],
    },
  },
});
