import { ROLE_NAMES } from "../../auth/role_names.ts";
import { builtIn } from "./built_in_mail.ts";
import { worded } from "./wordings.ts";

const named = (before: string) => `{% if brand.name %}${before}{{ brand.name }}{% endif %}`;

/** Without SITE_URL there is no page to link to: the mail shows the token. */
const NEEDS_CODE = "invitation.token and invitation.url == nil";
const CODE = "<strong>{{ invitation.token | truncate: 200 }}</strong>";

export const invitation = builtIn({
  isOptional: false,
  buttonTo: "invitation.url",
  facts: {
    role: { of: "invitation.role", shown: worded("invitation.role", ROLE_NAMES) },
    expires: {
      of: "invitation.expires_at",
      shown: '{{ invitation.expires_at | date: "long" }}',
    },
  },
  sample: {
    user: { name: "Jonas Weber", email: "jonas@example.com", role: "supplier" },
    invitation: {
      role: "supplier",
      token: "Zk3t9w",
      url: "https://console.example.com/invitations/Zk3t9w",
      expires_at: "2026-01-08T12:00:00.000000+00:00",
    },
  },
  words: {
    en: {
      subject: `You are invited${named(" to ")}`,
      preheader: "Accept the invitation to begin.",
      title: `You are invited${named(" to ")}`,
      paragraphs: [
        "Somebody of the team would like to work with you there. Accept the invitation to begin.",
        { if: NEEDS_CODE, text: `Your invitation code: ${CODE}` },
      ],
      facts: { role: "Role", expires: "Valid until" },
      button: "Accept the invitation",
    },
    de: {
      subject: `Sie sind eingeladen${named(": ")}`,
      preheader: "Nehmen Sie die Einladung an, um loszulegen.",
      title: `Sie sind eingeladen${named(": ")}`,
      paragraphs: [
        "Jemand aus dem Team möchte dort mit Ihnen zusammenarbeiten. Nehmen Sie die Einladung an, um loszulegen.",
        { if: NEEDS_CODE, text: `Ihr Einladungscode: ${CODE}` },
      ],
      facts: { role: "Rolle", expires: "Gültig bis" },
      button: "Einladung annehmen",
    },
    ar: {
      subject: `دعوة للانضمام${named(" إلى ")}`,
      preheader: "اقبل الدعوة للبدء.",
      title: `دعوة للانضمام${named(" إلى ")}`,
      paragraphs: [
        "يودّ أحد أعضاء الفريق العمل معك. اقبل الدعوة للبدء.",
        { if: NEEDS_CODE, text: `رمز الدعوة: ${CODE}` },
      ],
      facts: { role: "الدور", expires: "صالحة حتى" },
      button: "قبول الدعوة",
    },
  },
});
