import { builtIn } from "./built_in_mail.ts";
import { ALL_SENT, ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

export const orderShipped = builtIn({
  isOptional: false,
  // Digital goods and pieces that were delivered before are not on their way.
  items: [
    {
      of: "order.sent_items",
      delivery: "order.owed_delivery",
      sum: "order.owed_amount",
      sumName: "order_total",
    },
  ],
  hasAddress: true,
  buttonTo: "order.url",
  sample: { ...SAMPLE_ORDER, order: { ...SAMPLE_ORDER.order, ...ALL_SENT, status: "shipped" } },
  words: {
    en: {
      subject: `Your order${NUMBER} is on its way`,
      preheader: "Your parcel has left us.",
      title: "Your order is on its way",
      paragraphs: [
        `We have shipped your order${NUMBER}. It will reach you soon.`,
        { if: "order.note", text: "{{ order.note | truncate: 1000 }}" },
      ],
      button: "See your order",
    },
    de: {
      subject: `Ihre Bestellung${NUMBER} ist unterwegs`,
      preheader: "Ihr Paket hat uns verlassen.",
      title: "Ihre Bestellung ist unterwegs",
      paragraphs: [
        `Wir haben Ihre Bestellung${NUMBER} versandt. Sie wird bald bei Ihnen sein.`,
        { if: "order.note", text: "{{ order.note | truncate: 1000 }}" },
      ],
      button: "Zur Bestellung",
    },
    ar: {
      subject: `طلبك${ARABIC_NUMBER} في الطريق إليك`,
      preheader: "غادر طردك مستودعنا.",
      title: "طلبك في الطريق إليك",
      paragraphs: [
        `شحنّا طلبك${ARABIC_NUMBER}، وسيصلك قريبًا.`,
        { if: "order.note", text: "{{ order.note | truncate: 1000 }}" },
      ],
      button: "عرض الطلب",
    },
  },
});
