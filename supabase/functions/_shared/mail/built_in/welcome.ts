import { builtIn } from "./built_in_mail.ts";

const named = (before: string) => `{% if brand.name %}${before}{{ brand.name }}{% endif %}`;

export const welcome = builtIn({
  isOptional: true,
  buttonTo: "marketplace.url",
  sample: { customer: { name: "Amira Karimova", email: "amira@example.com" } },
  words: {
    en: {
      subject: `Welcome${named(" to ")}`,
      preheader: "Your account is ready.",
      title: `Welcome${named(" to ")}`,
      paragraphs: ["Your account is ready. It is good to have you with us."],
      button: "Go to the shop",
    },
    de: {
      subject: `Willkommen${named(" bei ")}`,
      preheader: "Ihr Konto ist eingerichtet.",
      title: `Willkommen${named(" bei ")}`,
      paragraphs: ["Ihr Konto ist eingerichtet. Schön, dass Sie da sind."],
      button: "Zum Shop",
    },
    ar: {
      subject: `مرحبًا بك${named(" في ")}`,
      preheader: "حسابك جاهز.",
      title: `مرحبًا بك${named(" في ")}`,
      paragraphs: ["حسابك جاهز. يسعدنا انضمامك إلينا."],
      button: "الذهاب إلى المتجر",
    },
  },
});
