import { builtIn } from "./built_in_mail.ts";
import { REFUND_FACTS, REFUND_NAMES } from "./refund_facts.ts";
import { ALL_RETURNED, ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

/** The text for an order of which nothing came back because it was lost, or the text for a return. */
const either = (lost: string, back: string) =>
  `{% if order.lost_items.first and order.returned_items.size == 0 %}${lost}{% else %}${back}{% endif %}`;

export const orderReturned = builtIn({
  isOptional: false,
  facts: REFUND_FACTS,
  items: [
    { of: "order.returned_items", sum: "order.returned_amount", sumName: "returned" },
    { of: "order.lost_items", sum: "order.lost_amount", sumName: "lost" },
  ],
  buttonTo: "order.url",
  sample: {
    ...SAMPLE_ORDER,
    order: { ...SAMPLE_ORDER.order, ...ALL_RETURNED, status: "returned" },
  },
  words: {
    en: {
      subject: either(
        `Your order${NUMBER} was lost on its way`,
        `The return of your order${NUMBER}`,
      ),
      preheader: either("It was lost on its way to you.", "We have received what you sent back."),
      title: either("Your order was lost on its way", "We have received your return"),
      paragraphs: [
        either(
          `We are sorry: your order${NUMBER} was lost on its way to you.`,
          `What you sent back of your order${NUMBER} has arrived.`,
        ),
      ],
      facts: REFUND_NAMES.en,
      button: "See your order",
    },
    de: {
      subject: either(
        `Ihre Bestellung${NUMBER} ist verloren gegangen`,
        `Ihre Rücksendung zur Bestellung${NUMBER}`,
      ),
      preheader: either(
        "Sie ist auf dem Weg zu Ihnen verloren gegangen.",
        "Ihre Rücksendung ist angekommen.",
      ),
      title: either("Ihre Bestellung ist verloren gegangen", "Ihre Rücksendung ist angekommen"),
      paragraphs: [
        either(
          `Es tut uns leid: Ihre Bestellung${NUMBER} ist auf dem Weg zu Ihnen verloren gegangen.`,
          `Was Sie zur Bestellung${NUMBER} zurückgesandt haben, ist bei uns eingetroffen.`,
        ),
      ],
      facts: REFUND_NAMES.de,
      button: "Zur Bestellung",
    },
    ar: {
      subject: either(`فُقد طلبك${ARABIC_NUMBER} أثناء الشحن`, `إرجاع طلبك${ARABIC_NUMBER}`),
      preheader: either("فُقد الطلب في طريقه إليك.", "استلمنا ما أعدته إلينا."),
      title: either("فُقد طلبك أثناء الشحن", "استلمنا مرتجعك"),
      paragraphs: [
        either(
          `نأسف لإبلاغك بأن طلبك${ARABIC_NUMBER} فُقد في طريقه إليك.`,
          `وصلنا ما أعدته من طلبك${ARABIC_NUMBER}.`,
        ),
      ],
      facts: REFUND_NAMES.ar,
      button: "عرض الطلب",
    },
  },
});
