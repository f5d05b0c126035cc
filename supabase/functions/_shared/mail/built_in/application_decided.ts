import { SAMPLE_APPLICATION } from "./application_facts.ts";
import { builtIn } from "./built_in_mail.ts";

const IS_APPROVED = 'application.status == "approved"';
const IS_REJECTED = 'application.status == "rejected"';
const HAS_REASON = "application.reason";
const REASON = "{{ application.reason | truncate: 1000 }}";

/** One of two texts: for an approved application, and for any other. */
const either = (approved: string, other: string) =>
  `{% if ${IS_APPROVED} %}${approved}{% else %}${other}{% endif %}`;

export const applicationDecided = builtIn({
  isOptional: false,
  sample: {
    application: {
      ...SAMPLE_APPLICATION.application,
      status: "approved",
      reason: "Your lanterns are beautiful.",
    },
  },
  words: {
    en: {
      subject: either("You are welcome as a supplier", "Your application as a supplier"),
      preheader: "Here is what was decided.",
      title: "Your application as a supplier",
      paragraphs: [
        {
          if: IS_APPROVED,
          text: "Your application was approved. If you do not have an account there yet, an invitation reaches you in a separate mail.",
        },
        { if: IS_REJECTED, text: "Your application was not approved. You can apply again." },
        { if: HAS_REASON, text: `Note: ${REASON}` },
      ],
    },
    de: {
      subject: either("Willkommen als Lieferant", "Ihre Bewerbung als Lieferant"),
      preheader: "So wurde entschieden.",
      title: "Ihre Bewerbung als Lieferant",
      paragraphs: [
        {
          if: IS_APPROVED,
          text: "Ihre Bewerbung wurde angenommen. Falls Sie dort noch kein Konto haben, erhalten Sie in einer eigenen E-Mail eine Einladung.",
        },
        {
          if: IS_REJECTED,
          text: "Ihre Bewerbung wurde nicht angenommen. Sie können sich noch einmal bewerben.",
        },
        { if: HAS_REASON, text: `Hinweis: ${REASON}` },
      ],
    },
    ar: {
      subject: either("مرحبًا بك مورّدًا", "طلب انضمامك مورّدًا"),
      preheader: "إليك القرار.",
      title: "طلب انضمامك مورّدًا",
      paragraphs: [
        {
          if: IS_APPROVED,
          text: "تمت الموافقة على طلبك. إن لم يكن لديك حساب هناك بعد، فستصلك دعوة في رسالة منفصلة.",
        },
        { if: IS_REJECTED, text: "لم تتم الموافقة على طلبك. يمكنك تقديم طلب جديد." },
        { if: HAS_REASON, text: `ملاحظة: ${REASON}` },
      ],
    },
  },
});
