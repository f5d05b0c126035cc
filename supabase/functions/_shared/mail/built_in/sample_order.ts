/** An example of an order, with the fields that mails use. */
export const SAMPLE_ORDER = {
  order: {
    id: "1b7d3c1e-6f0a-4c52-9a4e-2f6d7c8b9a01",
    number: 1042,
    status: "pending",
    payment_status: "pending",
    subtotal_amount: 116.5,
    delivery_amount: 5,
    tax_included: true,
    tax_lines: [{ name: "VAT", rate: 19, tax_amount: 19.4, note: null }],
    total_amount: 121.5,
    currency: "EUR",
    payment_due_at: "2026-01-02T12:30:00.000000+00:00",
    items: [
      { name: "Brass coffee pot", quantity: 2, price: 49, amount: 98 },
      { name: "Cardamom, 100 g", quantity: 1, price: 18.5, amount: 18.5 },
    ],
    shipping_address: { street: "1 Palm Street", city: "Samarkand", postal_code: "140100" },
  },
  customer: { name: "Amira Karimova", email: "amira@example.com" },
};

const { items, subtotal_amount, delivery_amount, total_amount } = SAMPLE_ORDER.order;

/** The variables of the order when all of it is on its way. */
export const ALL_SENT = {
  sent_items: items,
  owed_amount: total_amount,
  owed_delivery: delivery_amount,
};

/** The variables of the order when it was paid, and then cancelled as a whole. */
export const ALL_CANCELLED = {
  cancelled_items: items,
  cancelled_amount: total_amount,
  cancelled_delivery: delivery_amount,
  refund_due: total_amount,
};

/** The variables of the order when it was paid, and then all of it came back. */
export const ALL_RETURNED = {
  returned_items: items,
  returned_amount: subtotal_amount,
  lost_items: [],
  refund_due: subtotal_amount,
};

/** The reader of a mail to a supplier. */
export const SAMPLE_SUPPLIER = {
  user: { name: "Jonas Weber", email: "jonas@example.com" },
  supplier: { id: "7d0c5a64-2f7e-4b52-8f5e-0d2b9b1f6c01", name: "Atlas Crafts" },
};

/** The number of an order, after a space. */
export const NUMBER = "{% if order.number %} {{ order.number }}{% endif %}";

/** The same in Arabic, with the word for number. */
export const ARABIC_NUMBER = "{% if order.number %} رقم {{ order.number }}{% endif %}";
