import { builtIn } from "./built_in_mail.ts";
import {
  CAMPAIGN_FACTS,
  CAMPAIGN_NAMES,
  HAS_NOTE,
  NOTE,
  SAMPLE_CAMPAIGN,
} from "./campaign_facts.ts";

export const campaignExhausted = builtIn({
  isOptional: false,
  facts: CAMPAIGN_FACTS,
  sample: SAMPLE_CAMPAIGN,
  words: {
    en: {
      subject: "Today's campaign budget is used up",
      preheader: "Your product is not promoted for the time being.",
      title: "Today's campaign budget is used up",
      paragraphs: [
        "Today's budget of your campaign is used up, so that your product is not promoted for the time being. It is shown again tomorrow, or as soon as you raise the budget.",
        { if: HAS_NOTE, text: `Note: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.en,
    },
    de: {
      subject: "Das heutige Kampagnenbudget ist aufgebraucht",
      preheader: "Ihr Produkt wird vorerst nicht beworben.",
      title: "Das heutige Kampagnenbudget ist aufgebraucht",
      paragraphs: [
        "Das heutige Budget Ihrer Kampagne ist aufgebraucht, Ihr Produkt wird daher vorerst nicht beworben. Es wird morgen wieder gezeigt oder sobald Sie das Budget erhöhen.",
        { if: HAS_NOTE, text: `Hinweis: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.de,
    },
    ar: {
      subject: "نفدت ميزانية حملتك لهذا اليوم",
      preheader: "لن يُروَّج لمنتجك في الوقت الحالي.",
      title: "نفدت ميزانية حملتك لهذا اليوم",
      paragraphs: [
        "نفدت ميزانية حملتك لهذا اليوم، ولذلك لن يُروَّج لمنتجك في الوقت الحالي. سيظهر من جديد غدًا، أو فور زيادة الميزانية.",
        { if: HAS_NOTE, text: `ملاحظة: ${NOTE}` },
      ],
      facts: CAMPAIGN_NAMES.ar,
    },
  },
});
