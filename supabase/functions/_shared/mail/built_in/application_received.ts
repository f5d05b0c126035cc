import { APPLICATION_FACTS, APPLICATION_NAMES, SAMPLE_APPLICATION } from "./application_facts.ts";
import { builtIn } from "./built_in_mail.ts";

const HAS_MESSAGE = "application.message";
const MESSAGE = "{{ application.message | truncate: 1000 }}";
const NAME = "{% if application.name %}: {{ application.name | truncate: 120 }}{% endif %}";

export const applicationReceived = builtIn({
  isOptional: true,
  facts: APPLICATION_FACTS,
  sample: SAMPLE_APPLICATION,
  words: {
    en: {
      subject: `A supplier applies${NAME}`,
      preheader: "The application waits for your decision.",
      title: "A supplier applies",
      paragraphs: [
        "Somebody would like to sell on your marketplace. The application waits for your decision.",
        { if: HAS_MESSAGE, text: `Message: ${MESSAGE}` },
      ],
      facts: APPLICATION_NAMES.en,
    },
    de: {
      subject: `Ein Lieferant bewirbt sich${NAME}`,
      preheader: "Die Bewerbung wartet auf Ihre Entscheidung.",
      title: "Ein Lieferant bewirbt sich",
      paragraphs: [
        "Jemand möchte auf Ihrem Marktplatz verkaufen. Die Bewerbung wartet auf Ihre Entscheidung.",
        { if: HAS_MESSAGE, text: `Nachricht: ${MESSAGE}` },
      ],
      facts: APPLICATION_NAMES.de,
    },
    ar: {
      subject: `طلب انضمام من مورّد${NAME}`,
      preheader: "الطلب في انتظار قرارك.",
      title: "طلب انضمام من مورّد",
      paragraphs: [
        "يرغب أحد المورّدين في البيع في سوقك. الطلب في انتظار قرارك.",
        { if: HAS_MESSAGE, text: `الرسالة: ${MESSAGE}` },
      ],
      facts: APPLICATION_NAMES.ar,
    },
  },
});
