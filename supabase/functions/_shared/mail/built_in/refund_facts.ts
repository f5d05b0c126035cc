/** The amount that the buyer gets back, in mails about orders. */
export const REFUND_FACTS = {
  refund: {
    of: "order.refund_due > 0",
    shown: "{{ order.refund_due | money: order.currency }}",
  },
};

export const REFUND_NAMES = {
  en: { refund: "You get back" },
  de: { refund: "Sie erhalten zurück" },
  ar: { refund: "المبلغ الذي ستسترده" },
};
