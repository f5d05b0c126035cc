import { builtIn } from "./built_in_mail.ts";
import { PAYMENT_FACTS, PAYMENT_NAMES, SAMPLE_PAYMENT } from "./payment_facts.ts";
import { ARABIC_NUMBER, NUMBER, SAMPLE_ORDER } from "./sample_order.ts";

const IS_DUE = "order.payment_due_at";
const DUE = '{{ order.payment_due_at | date: "long" }}, {{ order.payment_due_at | date: "time" }}';
const ARABIC_DUE = DUE.replace(",", "،");

export const paymentFailed = builtIn({
  isOptional: false,
  facts: PAYMENT_FACTS,
  buttonTo: "order.url",
  sample: { ...SAMPLE_ORDER, ...SAMPLE_PAYMENT },
  words: {
    en: {
      subject: `The payment for your order${NUMBER} failed`,
      preheader: "Please try again or choose another way to pay.",
      title: "Your payment did not go through",
      paragraphs: [
        `The payment for your order${NUMBER} failed. Please try again, or choose another way to pay.`,
        { if: IS_DUE, text: `We keep the order for you until ${DUE}.` },
      ],
      facts: PAYMENT_NAMES.en,
      button: "See your order",
    },
    de: {
      subject: `Die Zahlung Ihrer Bestellung${NUMBER} ist fehlgeschlagen`,
      preheader: "Bitte versuchen Sie es noch einmal oder wählen Sie eine andere Zahlungsart.",
      title: "Ihre Zahlung hat nicht geklappt",
      paragraphs: [
        `Die Zahlung Ihrer Bestellung${NUMBER} ist fehlgeschlagen. Bitte versuchen Sie es noch einmal oder wählen Sie eine andere Zahlungsart.`,
        { if: IS_DUE, text: `Wir halten die Bestellung für Sie bis ${DUE} bereit.` },
      ],
      facts: PAYMENT_NAMES.de,
      button: "Zur Bestellung",
    },
    ar: {
      subject: `تعذّر دفع قيمة طلبك${ARABIC_NUMBER}`,
      preheader: "يُرجى المحاولة مجددًا أو اختيار طريقة دفع أخرى.",
      title: "لم تتم عملية الدفع",
      paragraphs: [
        `تعذّر دفع قيمة طلبك${ARABIC_NUMBER}. يُرجى المحاولة مجددًا أو اختيار طريقة دفع أخرى.`,
        { if: IS_DUE, text: `نحتفظ بالطلب لك حتى ${ARABIC_DUE}.` },
      ],
      facts: PAYMENT_NAMES.ar,
      button: "عرض الطلب",
    },
  },
});
