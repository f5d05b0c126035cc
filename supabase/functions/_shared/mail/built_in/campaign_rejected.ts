import { builtIn } from "./built_in_mail.ts";
import {
  CAMPAIGN_FACTS,
  CAMPAIGN_NAMES,
  HAS_NOTE,
  NOTE,
  SAMPLE_CAMPAIGN,
} from "./campaign_facts.ts";

const REJECTED = {
  ...SAMPLE_CAMPAIGN,
  campaign: { ...SAMPLE_CAMPAIGN.campaign, note: "The picture shows another product." },
};

export const campaignRejected = builtIn({
  isOptional: false,
  facts: CAMPAIGN_FACTS,
  sample: REJECTED,
  words: {
    en: {
      subject: "Your campaign was not approved",
      preheader: "Here is what you should know.",
      title: "Your campaign was not approved",
      paragraphs: [
        "Your campaign was not approved and will not run. You can change it and hand it in again.",
        { if: HAS_NOTE, text: `Reason: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.en,
    },
    de: {
      subject: "Ihre Kampagne wurde nicht freigegeben",
      preheader: "Das sollten Sie wissen.",
      title: "Ihre Kampagne wurde nicht freigegeben",
      paragraphs: [
        "Ihre Kampagne wurde nicht freigegeben und läuft nicht. Sie können sie ändern und noch einmal einreichen.",
        { if: HAS_NOTE, text: `Grund: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.de,
    },
    ar: {
      subject: "لم تتم الموافقة على حملتك",
      preheader: "إليك التفاصيل.",
      title: "لم تتم الموافقة على حملتك",
      paragraphs: [
        "لم تتم الموافقة على حملتك ولن تبدأ. يمكنك تعديلها وإرسالها من جديد.",
        { if: HAS_NOTE, text: `السبب: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.ar,
    },
  },
});
