import { builtIn } from "./built_in.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

export const orderReturned = builtIn({
  isOptional: false,
  hasItems: true,
  buttonTo: "marketplace.url",
  sample: { ...SAMPLE_ORDER, order: { ...SAMPLE_ORDER.order, status: "returned" } },
  words: {
    en: {
      subject: `The return of your order${NUMBER}`,
      preheader: "We have received what you sent back.",
      title: "We have received your return",
      paragraphs: [`What you sent back of your order${NUMBER} has arrived.`],
      button: "Go to the shop",
    },
    de: {
      subject: `Ihre Rücksendung zur Bestellung${NUMBER}`,
      preheader: "Ihre Rücksendung ist angekommen.",
      title: "Ihre Rücksendung ist angekommen",
      paragraphs: [
        `Was Sie zur Bestellung${NUMBER} zurückgesandt haben, ist bei uns eingetroffen.`,
      ],
      button: "Zum Shop",
    },
    ar: {
      subject: `إرجاع طلبك${ARABIC_NUMBER}`,
      preheader: "استلمنا ما أعدته إلينا.",
      title: "استلمنا مرتجعك",
      paragraphs: [`وصلنا ما أعدته من طلبك${ARABIC_NUMBER}.`],
      button: "الذهاب إلى المتجر",
    },
  },
});
