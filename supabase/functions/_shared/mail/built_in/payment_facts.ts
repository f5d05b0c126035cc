/** The facts in the mails about payments. */
export const PAYMENT_FACTS = {
  amount: {
    of: "payment.amount",
    shown: "{{ payment.amount | money: payment.currency }}",
  },
  method: { of: "payment.method", shown: "{{ payment.method | truncate: 100 }}" },
};

export const PAYMENT_NAMES = {
  en: { amount: "Amount", method: "Payment method" },
  de: { amount: "Betrag", method: "Zahlungsart" },
  ar: { amount: "المبلغ", method: "طريقة الدفع" },
};

export const SAMPLE_PAYMENT = { payment: { amount: 121.5, currency: "EUR", method: "card" } };
