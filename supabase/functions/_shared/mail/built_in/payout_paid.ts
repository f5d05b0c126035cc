import { builtIn } from "./built_in_mail.ts";

export const payoutPaid = builtIn({
  isOptional: false,
  facts: {
    amount: { of: "payout.amount", shown: "{{ payout.amount | money: payout.currency }}" },
    reference: { of: "payout.reference", shown: "{{ payout.reference | truncate: 200 }}" },
    date: { of: "payout.paid_at", shown: '{{ payout.paid_at | date: "long" }}' },
  },
  sample: {
    user: { name: "Jonas Weber", email: "jonas@example.com", role: "supplier" },
    supplier: { id: "4f8c2a52-6f0f-4f0e-9d3c-7d5a3c1b2e02", name: "Weber Brassware" },
    payout: {
      id: "4f8c2a52-6f0f-4f0e-9d3c-7d5a3c1b2e03",
      status: "paid",
      amount: 1240.5,
      currency: "EUR",
      lines: 12,
      reference: "SEPA 2026-01-30 17",
      paid_at: "2026-01-30T10:00:00.000000+00:00",
    },
  },
  words: {
    en: {
      subject: "Your payout was transferred",
      preheader: "Here are its amount and its reference.",
      title: "Your payout was transferred",
      paragraphs: [
        "A payout was transferred to you. It takes as long to arrive as your bank needs. Its statement lists what it is for: you find it under Payouts, where you manage your orders.",
      ],
      facts: { amount: "Amount", reference: "Reference", date: "Date" },
    },
    de: {
      subject: "Ihre Auszahlung wurde überwiesen",
      preheader: "Hier sind Betrag und Referenz.",
      title: "Ihre Auszahlung wurde überwiesen",
      paragraphs: [
        "Eine Auszahlung wurde an Sie überwiesen. Bis sie ankommt, dauert es so lange, wie Ihre Bank braucht. Wofür sie ist, steht in der Abrechnung: Sie finden sie unter Auszahlungen, wo Sie Ihre Bestellungen verwalten.",
      ],
      facts: { amount: "Betrag", reference: "Referenz", date: "Datum" },
    },
    ar: {
      subject: "تم تحويل دفعتك",
      preheader: "إليك مبلغها ومرجعها.",
      title: "تم تحويل دفعتك",
      paragraphs: [
        "حُوّلت إليك دفعة. تصل بعد المدة التي يحتاجها مصرفك. يبيّن كشف الحساب ما تتكون منه: تجده في الدفعات، حيث تدير طلباتك.",
      ],
      facts: { amount: "المبلغ", reference: "المرجع", date: "التاريخ" },
    },
  },
});
