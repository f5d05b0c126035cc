import { builtIn } from "./built_in_mail.ts";

const NAME = "{% if product.name %}: {{ product.name | truncate: 120 }}{% endif %}";

export const lowStock = builtIn({
  isOptional: true,
  facts: {
    product: { of: "product.name", shown: "{{ product.name | truncate: 120 }}" },
    sku: { of: "product.sku", shown: "{{ product.sku | truncate: 100 }}" },
    available: { of: "inventory.available", shown: "{{ inventory.available | number }}" },
    threshold: {
      of: "inventory.low_stock_threshold",
      shown: "{{ inventory.low_stock_threshold | number }}",
    },
  },
  sample: {
    user: { name: "Jonas Weber", email: "jonas@example.com", role: "supplier" },
    product: { id: "4f8c2a52-6f0f-4f0e-9d3c-7d5a3c1b2e01", name: "Brass coffee pot", sku: "POT-1" },
    inventory: { available: 3, low_stock_threshold: 5 },
  },
  words: {
    en: {
      subject: `Low stock${NAME}`,
      preheader: "It is time to order more.",
      title: "A product is running low",
      paragraphs: ["There is little left of one of your products. It is time to restock."],
      facts: { product: "Product", sku: "SKU", available: "Available", threshold: "Warned at" },
    },
    de: {
      subject: `Geringer Bestand${NAME}`,
      preheader: "Es ist Zeit, nachzubestellen.",
      title: "Ein Produkt geht zur Neige",
      paragraphs: [
        "Von einem Ihrer Produkte ist nur noch wenig da. Es ist Zeit, den Bestand aufzufüllen.",
      ],
      facts: {
        product: "Produkt",
        sku: "Artikelnummer",
        available: "Verfügbar",
        threshold: "Meldebestand",
      },
    },
    ar: {
      subject: `مخزون منخفض${NAME}`,
      preheader: "حان وقت إعادة التزويد.",
      title: "أوشك أحد المنتجات على النفاد",
      paragraphs: ["لم يبقَ سوى القليل من أحد منتجاتك. حان وقت إعادة تزويد المخزون."],
      facts: {
        product: "المنتج",
        sku: "رمز المنتج",
        available: "المتوفر",
        threshold: "حد التنبيه",
      },
    },
  },
});
