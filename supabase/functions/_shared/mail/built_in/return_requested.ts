import { builtIn } from "./built_in_mail.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER, SAMPLE_SUPPLIER } from "./sample_order.ts";

const HAS_REASON = "return.reason";
const REASON = "{{ return.reason | truncate: 1000 }}";
const [item] = SAMPLE_ORDER.order.items;

export const returnRequested = builtIn({
  isOptional: false,
  items: [{ of: "return.items" }],
  sample: {
    ...SAMPLE_ORDER,
    ...SAMPLE_SUPPLIER,
    return: { items: [item], reason: "The lid is dented." },
  },
  words: {
    en: {
      subject: `Return request for order${NUMBER}`,
      preheader: "It waits for your answer.",
      title: "A customer would like to return something",
      paragraphs: [
        `A customer would like to send back these items of order${NUMBER}. The request waits for your answer.`,
        { if: HAS_REASON, text: `Reason: ${REASON}` },
      ],
    },
    de: {
      subject: `Rückgabewunsch zur Bestellung${NUMBER}`,
      preheader: "Er wartet auf Ihre Antwort.",
      title: "Ein Kunde möchte etwas zurückgeben",
      paragraphs: [
        `Ein Kunde möchte diese Artikel der Bestellung${NUMBER} zurücksenden. Der Wunsch wartet auf Ihre Antwort.`,
        { if: HAS_REASON, text: `Grund: ${REASON}` },
      ],
    },
    ar: {
      subject: `طلب إرجاع من الطلب${ARABIC_NUMBER}`,
      preheader: "ينتظر ردّك.",
      title: "يرغب أحد العملاء في إرجاع منتجات",
      paragraphs: [
        `يرغب أحد العملاء في إعادة هذه المنتجات من الطلب${ARABIC_NUMBER}. طلب الإرجاع ينتظر ردّك.`,
        { if: HAS_REASON, text: `السبب: ${REASON}` },
      ],
    },
  },
});
