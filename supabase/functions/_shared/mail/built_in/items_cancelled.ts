import { builtIn } from "./built_in_mail.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

const HAS_REASON = "cancellation.reason";
const REASON = "{{ cancellation.reason | truncate: 1000 }}";
const [item] = SAMPLE_ORDER.order.items;

export const itemsCancelled = builtIn({
  isOptional: false,
  items: [{ of: "cancellation.items", sum: "cancellation.amount", sumName: "cancelled" }],
  buttonTo: "order.url",
  sample: {
    ...SAMPLE_ORDER,
    cancellation: { items: [item], amount: item?.amount, reason: "The coffee pot is sold out." },
  },
  words: {
    en: {
      subject: `A part of your order${NUMBER} was cancelled`,
      preheader: "The rest will be delivered.",
      title: "A part of your order was cancelled",
      paragraphs: [
        `These items of your order${NUMBER} were cancelled and will not be delivered.`,
        { if: HAS_REASON, text: `Reason: ${REASON}` },
      ],
      button: "See your order",
    },
    de: {
      subject: `Ein Teil Ihrer Bestellung${NUMBER} wurde storniert`,
      preheader: "Der Rest wird geliefert.",
      title: "Ein Teil Ihrer Bestellung wurde storniert",
      paragraphs: [
        `Diese Artikel Ihrer Bestellung${NUMBER} wurden storniert und werden nicht geliefert.`,
        { if: HAS_REASON, text: `Grund: ${REASON}` },
      ],
      button: "Zur Bestellung",
    },
    ar: {
      subject: `أُلغي جزء من طلبك${ARABIC_NUMBER}`,
      preheader: "سيصلك الباقي.",
      title: "أُلغي جزء من طلبك",
      paragraphs: [
        `أُلغيت هذه المنتجات من طلبك${ARABIC_NUMBER} ولن يتم توصيلها.`,
        { if: HAS_REASON, text: `السبب: ${REASON}` },
      ],
      button: "عرض الطلب",
    },
  },
});
