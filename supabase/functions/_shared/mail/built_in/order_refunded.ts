import { builtIn } from "./built_in_mail.ts";
import { PAYMENT_FACTS, PAYMENT_NAMES, SAMPLE_PAYMENT } from "./payment_facts.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

export const orderRefunded = builtIn({
  isOptional: false,
  facts: PAYMENT_FACTS,
  // A refund of a payment as a whole names no items.
  items: [
    {
      of: "payment.items",
      delivery: "payment.delivery_amount",
      sum: "payment.amount",
      sumName: "refunded",
      withoutQuantity: true,
    },
  ],
  buttonTo: "order.url",
  sample: { ...SAMPLE_ORDER, ...SAMPLE_PAYMENT },
  words: {
    en: {
      subject: `A refund for your order${NUMBER}`,
      preheader: "We have paid money back to you.",
      title: "We have sent you a refund",
      paragraphs: [
        `We have paid money back to you for your order${NUMBER}. It can take some days until your bank shows it.`,
      ],
      facts: PAYMENT_NAMES.en,
      button: "See your order",
    },
    de: {
      subject: `Erstattung zu Ihrer Bestellung${NUMBER}`,
      preheader: "Wir haben Ihnen Geld erstattet.",
      title: "Wir haben Ihnen Geld erstattet",
      paragraphs: [
        `Zu Ihrer Bestellung${NUMBER} haben wir Ihnen Geld erstattet. Bis Ihre Bank es anzeigt, können einige Tage vergehen.`,
      ],
      facts: PAYMENT_NAMES.de,
      button: "Zur Bestellung",
    },
    ar: {
      subject: `استرداد مبلغ طلبك${ARABIC_NUMBER}`,
      preheader: "أعدنا إليك المبلغ.",
      title: "أعدنا إليك المبلغ",
      paragraphs: [
        `أعدنا إليك مبلغًا عن طلبك${ARABIC_NUMBER}. قد يستغرق ظهوره في حسابك المصرفي بضعة أيام.`,
      ],
      facts: PAYMENT_NAMES.ar,
      button: "عرض الطلب",
    },
  },
});
