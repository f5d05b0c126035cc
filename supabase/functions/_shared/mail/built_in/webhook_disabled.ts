import { builtIn } from "./built_in_mail.ts";

export const webhookDisabled = builtIn({
  isOptional: false,
  facts: { url: { of: "webhook.url", shown: "{{ webhook.url | truncate: 300 }}" } },
  sample: {
    user: { name: "Jonas Weber", email: "jonas@example.com", role: "admin" },
    webhook: { url: "https://erp.example.com/souk" },
  },
  words: {
    en: {
      subject: "A webhook was turned off",
      preheader: "Nothing is sent to its receiver any more.",
      title: "A webhook was turned off",
      paragraphs: [
        "The receiver of one of your webhooks failed, so that nothing is sent to it any more. Once it answers again, you can turn the webhook back on.",
      ],
      facts: { url: "Address" },
    },
    de: {
      subject: "Ein Webhook wurde abgeschaltet",
      preheader: "An seinen Empfänger wird nichts mehr gesendet.",
      title: "Ein Webhook wurde abgeschaltet",
      paragraphs: [
        "Der Empfänger eines Ihrer Webhooks war nicht erreichbar, daher wird ihm nichts mehr gesendet. Sobald er wieder antwortet, können Sie den Webhook wieder einschalten.",
      ],
      facts: { url: "Adresse" },
    },
    ar: {
      subject: "تم إيقاف أحد روابط الويب هوك",
      preheader: "لن يُرسل شيء إلى المستلم بعد الآن.",
      title: "تم إيقاف أحد روابط الويب هوك",
      paragraphs: [
        "تعذّر الإرسال إلى مستلم أحد روابط الويب هوك، فتوقف الإرسال إليه. يمكنك تشغيل الرابط مجددًا عندما يعود المستلم إلى الاستجابة.",
      ],
      facts: { url: "العنوان" },
    },
  },
});
