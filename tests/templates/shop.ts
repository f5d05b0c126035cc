import type { Inputs, Product } from "../../supabase/functions/_shared/templates/inputs.ts";
import type { Reach } from "../../supabase/functions/_shared/templates/reaching.ts";
import type { PageType } from "../../supabase/functions/_shared/templates/template.ts";

// A fixed shop: the answers of the database and the API.

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const NAMES: [string, number, string | null][] = [
  ["Brass lantern", 49, "Atlas Crafts"],
  ["Wool rug", 240, "Atlas Crafts"],
  ["Tea glass", 6.2, null],
  ["Leather pouf “Fès” & stool", 129.9, "Atlas Crafts"],
  ["Olive wood bowl", 34.5, "Sahel <Woods>"],
  ["Ceramic tagine", 58, null],
];

const image = (n: number) => ({
  url: `https://media.example.com/lantern-${n}.webp`,
  alt: `A lantern, seen ${n === 1 ? "from the front" : "from the side"}`,
  width: 1200,
  height: 1200,
  srcset: `https://media.example.com/lantern-${n}-320.webp 320w, https://media.example.com/lantern-${n}-640.webp 640w`,
});

export const products: Product[] = NAMES.map(([name, price, brand], n) => ({
  id: id(100 + n),
  name,
  slug: `lantern-${n}`,
  price,
  brand,
  description:
    n === 0 ? "Cut by hand from one sheet of brass.\nThrows a star of light on every wall." : "",
  description_html:
    n === 0
      ? "<p>Cut by hand from <strong>one sheet</strong> of brass.</p><p>Throws a star of light on every wall.</p>"
      : null,
  currency: "EUR",
  kind: "physical",
  status: n === 2 ? "out_of_stock" : "active",
  track_inventory: true,
  images: n === 0 ? [image(1), image(2)] : n === 1 ? [image(1)] : [],
  attributes:
    n === 0
      ? [
          { name: "Material", value: "Brass" },
          { name: "Height", value: "32 cm" },
        ]
      : [],
  variants:
    n === 0
      ? [
          { id: id(201), name: "Small", sku: "L-S", price: 49 },
          { id: id(202), name: "Large", sku: "L-L", price: 79 },
        ]
      : [],
  inventory: { quantity: 5, reserved: 2 },
  promotion:
    n === 3 ? { labels: ["Advertisement"], campaign_id: "campaign", token: "token" } : null,
}));

export const category = {
  id: id(11),
  name: "Lamps & light",
  parent_id: null,
  children: [
    { id: id(12), name: "Lanterns", children: [] },
    { id: id(13), name: "Candles", children: [] },
  ],
};

const listed = (rows: Product[]) => ({
  products: rows,
  total: rows.length,
  page: 1,
  limit: 24,
  filters: {
    categories: [],
    price_range: [6.2, 240],
    brands: [{ name: "Atlas Crafts", count: 3 }],
  },
});

const orders = [
  {
    id: id(301),
    number: 1042,
    status: "shipped",
    created_at: "2026-03-04T10:00:00Z",
    currency: "EUR",
    total_amount: 104.2,
    items: [
      { name: "Brass lantern", quantity: 2, price: 49, amount: 98 },
      { name: "Tea glass", quantity: 1, price: 6.2, amount: 6.2 },
    ],
  },
  {
    id: id(302),
    number: 1043,
    status: "cancelled",
    created_at: "2026-03-05T10:00:00Z",
    currency: "EUR",
    total_amount: 240,
    items: [{ name: "Wool rug", quantity: 1, price: 240, amount: 240 }],
  },
];

/** The answers of the shop's API, by the prefix of the path. */
const ANSWERS: [string, unknown][] = [
  ["/api/categories", { categories: [category, { id: id(14), name: "Rugs" }], total: 2 }],
  ["/api/products/top-sales", { products: products.slice(0, 2) }],
  [`/api/products/${id(100)}/similar`, { products: products.slice(1, 4) }],
  ["/api/products?", listed(products)],
  [
    "/api/countries?language=",
    {
      countries: [
        { code: "AT", name: "Austria" },
        { code: "CI", name: "Côte d’Ivoire" },
      ],
    },
  ],
  ["/auth/me", { user: { name: "Cleo", email: "cleo@example.com" } }],
  ["/api/orders", { orders, total: 2, page: 1, limit: 20 }],
];

/** The shop's API. `isEmpty`: the shop has no data. */
export function shopReach(isEmpty = false): Reach {
  return {
    rights: isEmpty ? "nobody in an empty shop" : "a customer of the shop",
    async read(_, address) {
      const [, answer] = ANSWERS.find(([path]) => address.startsWith(path)) ?? [];
      if (answer === undefined) throw new Error(`nothing answers ${address}`);
      return isEmpty && !address.startsWith("/auth") ? emptied(answer) : answer;
    },
  };
}

/** The same answer with empty lists. */
function emptied(answer: unknown): unknown {
  return Object.fromEntries(
    Object.entries(answer as object).map(([key, value]) => [
      key,
      Array.isArray(value) ? [] : key === "total" ? 0 : value,
    ]),
  );
}

/** The inputs of a built-in page of the shop in a language. */
export function inputsOf(type: PageType, language = "en", overrides: Partial<Inputs> = {}): Inputs {
  return {
    tenant_id: id(2),
    time_zone: "UTC",
    template: { id: null, name: type, type, marketplace_id: null, caching: null },
    version: 0,
    content: null,
    parents: [],
    includes: {},
    components: {},
    localizations: [],
    marketplace: {
      id: id(1),
      name: "Medina",
      description: "Things made by hand, from people whose names we know.",
      language: "en",
      currency: "EUR",
      domain: "medina.example.com",
      branding: { colors: { primary: "#0f766e" } },
      seo: {},
    },
    product: type === "product" ? (products[0] as Product) : null,
    category: type === "category" || type === "product" ? category : null,
    language,
    languages: ["en", "de", "ar"],
    assets: {},
    products: {},
    role: "customer",
    key: "key",
    ...overrides,
  };
}

/** The variables that a shop sends for its pages. */
export const variablesOf: Record<PageType, Record<string, unknown>> = {
  homepage: {},
  category: { page: 1, sort: "price_asc" },
  product: {},
  checkout: {
    items: [
      { product_id: id(100), name: "Brass lantern", price: 49, quantity: 2 },
      { product_id: id(102), name: "Tea glass", price: 6.2, quantity: 6 },
    ],
    delivery_methods: [
      { key: "standard", name: "Standard", price: 4.9 },
      { key: "express", name: "Express", price: 12 },
    ],
    payment_methods: ["card", "invoice"],
  },
  profile: {},
  search_results: { query: 'lantern "brass" & <light>' },
};
