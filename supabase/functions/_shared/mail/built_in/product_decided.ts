import { builtIn } from "./built_in_mail.ts";

const IS_APPROVED = 'review.decision == "approved"';
const IS_REJECTED = 'review.decision == "rejected"';
const HAS_REASON = "review.reason";
const REASON = "{{ review.reason | truncate: 1000 }}";
const NAME = "{% if product.name %}: {{ product.name | truncate: 120 }}{% endif %}";

export const productDecided = builtIn({
  isOptional: true,
  facts: { product: { of: "product.name", shown: "{{ product.name | truncate: 120 }}" } },
  sample: {
    user: { name: "Jonas Weber", email: "jonas@example.com", role: "supplier" },
    product: { id: "4f8c2a52-6f0f-4f0e-9d3c-7d5a3c1b2e01", name: "Brass coffee pot" },
    review: { decision: "rejected", reason: "The picture shows another product." },
  },
  words: {
    en: {
      subject: `Your product was reviewed${NAME}`,
      preheader: "Here is what was decided.",
      title: "Your product was reviewed",
      paragraphs: [
        { if: IS_APPROVED, text: "Your product, or its change, was approved. Buyers see it now." },
        {
          if: IS_REJECTED,
          text: "Your product, or its change, was not approved. You can correct it and hand it in again.",
        },
        { if: HAS_REASON, text: `Note: ${REASON}` },
      ],
      facts: { product: "Product" },
    },
    de: {
      subject: `Ihr Produkt wurde geprüft${NAME}`,
      preheader: "So wurde entschieden.",
      title: "Ihr Produkt wurde geprüft",
      paragraphs: [
        {
          if: IS_APPROVED,
          text: "Ihr Produkt oder seine Änderung wurde freigegeben und ist jetzt zu sehen.",
        },
        {
          if: IS_REJECTED,
          text: "Ihr Produkt oder seine Änderung wurde nicht freigegeben. Sie können es korrigieren und noch einmal einreichen.",
        },
        { if: HAS_REASON, text: `Hinweis: ${REASON}` },
      ],
      facts: { product: "Produkt" },
    },
    ar: {
      subject: `تمت مراجعة منتجك${NAME}`,
      preheader: "إليك القرار.",
      title: "تمت مراجعة منتجك",
      paragraphs: [
        {
          if: IS_APPROVED,
          text: "تمت الموافقة على منتجك أو على تعديله، وأصبح ظاهرًا للمشترين.",
        },
        {
          if: IS_REJECTED,
          text: "لم تتم الموافقة على منتجك أو على تعديله. يمكنك تصحيحه وإرساله من جديد.",
        },
        { if: HAS_REASON, text: `ملاحظة: ${REASON}` },
      ],
      facts: { product: "المنتج" },
    },
  },
});
