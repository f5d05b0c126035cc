import type { Language } from "../../values/languages.ts";

/** The texts that all mails share, in Liquid. */
export interface CommonWords {
  /** With the variable `name`, and without one. */
  greeting: string;
  greeting_without_name: string;
  product: string;
  quantity: string;
  amount: string;
  delivery: string;
  discount: string;
  /** Before the name of a tax that prices contain. */
  contains: string;
  reverse_charge: string;
  total: string;
  order_total: string;
  cancelled: string;
  returned: string;
  lost: string;
  refunded: string;
  deliver_to: string;
  bill_to: string;
  tax_id: string;
  more_items: string;
  sent_by: string;
  unsubscribe: string;
}

export const COMMON_WORDS: Record<Language, CommonWords> = {
  en: {
    greeting: "Hello {{ name | truncate: 100 }},",
    greeting_without_name: "Hello,",
    product: "Product",
    quantity: "Quantity",
    amount: "Amount",
    delivery: "Delivery",
    discount: "Discount",
    contains: "Contains",
    reverse_charge: "Tax, which the buyer owes",
    total: "Total",
    order_total: "Order total",
    cancelled: "Cancelled",
    returned: "Returned",
    lost: "Lost",
    refunded: "Refunded",
    deliver_to: "Delivery address",
    bill_to: "Billing address",
    tax_id: "Tax number",
    more_items: "and more",
    sent_by: "This message was sent by",
    unsubscribe: "Unsubscribe from these e-mails",
  },
  de: {
    greeting: "Guten Tag {{ name | truncate: 100 }},",
    greeting_without_name: "Guten Tag,",
    product: "Produkt",
    quantity: "Menge",
    amount: "Betrag",
    delivery: "Versand",
    discount: "Rabatt",
    contains: "Enthält",
    reverse_charge: "Steuer, die der Käufer schuldet",
    total: "Gesamt",
    order_total: "Gesamtbetrag der Bestellung",
    cancelled: "Storniert",
    returned: "Zurückgesandt",
    lost: "Verloren",
    refunded: "Erstattet",
    deliver_to: "Lieferadresse",
    bill_to: "Rechnungsadresse",
    tax_id: "Steuernummer",
    more_items: "und weitere",
    sent_by: "Diese Nachricht wurde gesendet von",
    unsubscribe: "Diese E-Mails abbestellen",
  },
  ar: {
    greeting: "مرحبًا {{ name | truncate: 100 }}،",
    greeting_without_name: "مرحبًا،",
    product: "المنتج",
    quantity: "الكمية",
    amount: "المبلغ",
    delivery: "التوصيل",
    discount: "الخصم",
    contains: "يشمل",
    reverse_charge: "ضريبة يدفعها المشتري بنفسه",
    total: "الإجمالي",
    order_total: "إجمالي الطلب",
    cancelled: "الملغى",
    returned: "المُرتجع",
    lost: "المفقود",
    refunded: "المبلغ المُعاد",
    deliver_to: "عنوان التوصيل",
    bill_to: "عنوان الفاتورة",
    tax_id: "الرقم الضريبي",
    more_items: "والمزيد",
    sent_by: "أُرسلت هذه الرسالة من",
    unsubscribe: "إلغاء الاشتراك في هذه الرسائل",
  },
};
