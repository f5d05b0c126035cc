import { builtIn } from "./built_in_mail.ts";
import { EXPORTS, worded } from "./wordings.ts";

export const exportReady = builtIn({
  isOptional: false,
  buttonTo: "export.url",
  facts: {
    type: { of: "export.type", shown: worded("export.type", EXPORTS) },
    format: { of: "export.format", shown: "{{ export.format | upcase | truncate: 20 }}" },
    rows: { of: "export.rows", shown: "{{ export.rows | number }}" },
    expires: { of: "export.expires_at", shown: '{{ export.expires_at | date: "long" }}' },
  },
  sample: {
    user: { name: "Jonas Weber", email: "jonas@example.com", role: "admin" },
    export: {
      type: "orders",
      format: "csv",
      rows: 12480,
      url: "https://shop.example.com/exports/orders.csv",
      expires_at: "2026-01-08T12:00:00.000000+00:00",
    },
  },
  words: {
    en: {
      subject: "Your export is ready",
      preheader: "The file can be downloaded.",
      title: "Your export is ready",
      paragraphs: ["The export that you asked for is ready to be downloaded."],
      facts: { type: "Content", format: "Format", rows: "Rows", expires: "Available until" },
      button: "Download the file",
    },
    de: {
      subject: "Ihr Export ist fertig",
      preheader: "Die Datei kann heruntergeladen werden.",
      title: "Ihr Export ist fertig",
      paragraphs: ["Der Export, den Sie angefordert haben, kann heruntergeladen werden."],
      facts: { type: "Inhalt", format: "Format", rows: "Zeilen", expires: "Verfügbar bis" },
      button: "Datei herunterladen",
    },
    ar: {
      subject: "ملف التصدير جاهز",
      preheader: "يمكنك الآن تنزيل الملف.",
      title: "ملف التصدير جاهز",
      paragraphs: ["ملف التصدير الذي طلبته جاهز للتنزيل."],
      facts: { type: "المحتوى", format: "الصيغة", rows: "عدد الصفوف", expires: "متاح حتى" },
      button: "تنزيل الملف",
    },
  },
});
