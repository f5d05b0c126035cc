import { builtIn } from "./built_in_mail.ts";
import { REFUND_FACTS, REFUND_NAMES } from "./refund_facts.ts";
import { ALL_CANCELLED, ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

/** The note of the cancellation. */
const REASON = "{{ order.note | truncate: 1000 }}";
const HAS_REASON = "order.note";

export const orderCancelled = builtIn({
  isOptional: false,
  facts: REFUND_FACTS,
  items: [
    {
      of: "order.cancelled_items",
      delivery: "order.cancelled_delivery",
      sum: "order.cancelled_amount",
      sumName: "cancelled",
    },
  ],
  buttonTo: "order.url",
  sample: {
    ...SAMPLE_ORDER,
    order: {
      ...SAMPLE_ORDER.order,
      ...ALL_CANCELLED,
      status: "cancelled",
      note: "The coffee pot is sold out.",
    },
  },
  words: {
    en: {
      subject: `Your order${NUMBER} was cancelled`,
      preheader: "It will not be delivered.",
      title: "Your order was cancelled",
      paragraphs: [
        `Your order${NUMBER} was cancelled and will not be delivered.`,
        { if: HAS_REASON, text: `Reason: ${REASON}` },
      ],
      facts: REFUND_NAMES.en,
      button: "See your order",
    },
    de: {
      subject: `Ihre Bestellung${NUMBER} wurde storniert`,
      preheader: "Sie wird nicht geliefert.",
      title: "Ihre Bestellung wurde storniert",
      paragraphs: [
        `Ihre Bestellung${NUMBER} wurde storniert und wird nicht geliefert.`,
        { if: HAS_REASON, text: `Grund: ${REASON}` },
      ],
      facts: REFUND_NAMES.de,
      button: "Zur Bestellung",
    },
    ar: {
      subject: `أُلغي طلبك${ARABIC_NUMBER}`,
      preheader: "لن يتم توصيل هذا الطلب.",
      title: "أُلغي طلبك",
      paragraphs: [
        `أُلغي طلبك${ARABIC_NUMBER} ولن يتم توصيله.`,
        { if: HAS_REASON, text: `السبب: ${REASON}` },
      ],
      facts: REFUND_NAMES.ar,
      button: "عرض الطلب",
    },
  },
});
