import { builtIn } from "./built_in_mail.ts";
import {
  CAMPAIGN_FACTS,
  CAMPAIGN_NAMES,
  HAS_NOTE,
  NOTE,
  SAMPLE_CAMPAIGN,
} from "./campaign_facts.ts";

export const campaignApproved = builtIn({
  isOptional: false,
  facts: CAMPAIGN_FACTS,
  sample: SAMPLE_CAMPAIGN,
  words: {
    en: {
      subject: "Your campaign is approved",
      preheader: "Your product will be shown in promoted places.",
      title: "Your campaign is approved",
      paragraphs: [
        "Your campaign was approved. Your product will be shown in promoted places while the campaign runs.",
        { if: HAS_NOTE, text: `Note: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.en,
    },
    de: {
      subject: "Ihre Kampagne ist freigegeben",
      preheader: "Ihr Produkt wird auf beworbenen Plätzen gezeigt.",
      title: "Ihre Kampagne ist freigegeben",
      paragraphs: [
        "Ihre Kampagne wurde freigegeben. Solange sie läuft, wird Ihr Produkt auf beworbenen Plätzen gezeigt.",
        { if: HAS_NOTE, text: `Hinweis: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.de,
    },
    ar: {
      subject: "تمت الموافقة على حملتك",
      preheader: "سيظهر منتجك في المواضع الترويجية.",
      title: "تمت الموافقة على حملتك",
      paragraphs: [
        "تمت الموافقة على حملتك، وسيظهر منتجك في المواضع الترويجية طوال مدتها.",
        { if: HAS_NOTE, text: `ملاحظة: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.ar,
    },
  },
});
