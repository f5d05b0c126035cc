import { builtIn } from "./built_in_mail.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

export const orderPlaced = builtIn({
  isOptional: false,
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
  buttonTo: "order.url",
  sample: SAMPLE_ORDER,
  words: {
    en: {
      subject: `We have received your order${NUMBER}`,
      preheader: "Thank you! Here is what you ordered.",
      title: "Thank you for your order",
      paragraphs: [
        `We have received your order${NUMBER} and will write to you again as soon as it is on its way.`,
      ],
      button: "See your order",
    },
    de: {
      subject: `Ihre Bestellung${NUMBER} ist eingegangen`,
      preheader: "Vielen Dank! Das haben Sie bestellt.",
      title: "Vielen Dank für Ihre Bestellung",
      paragraphs: [
        `Ihre Bestellung${NUMBER} ist bei uns eingegangen. Wir melden uns wieder, sobald sie unterwegs ist.`,
      ],
      button: "Zur Bestellung",
    },
    ar: {
      subject: `استلمنا طلبك${ARABIC_NUMBER}`,
      preheader: "شكرًا لك! إليك تفاصيل طلبك.",
      title: "شكرًا لطلبك",
      paragraphs: [`استلمنا طلبك${ARABIC_NUMBER}، وسنراسلك مجددًا فور شحنه.`],
      button: "عرض الطلب",
    },
  },
});
