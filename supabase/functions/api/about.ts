/** The head of the OpenAPI document. The tags are in the order of a shop's work. */
export const about = {
  openapi: "3.1.0",
  info: {
    title: "Souk",
    version: "0.1.0",
    description: `A multi-tenant marketplace backend. Every request is made by a member of one tenant and sees that tenant only.

Paths are below <project>/functions/v1. The endpoints under /api/marketplaces, /api/products and /api/orders also work without /api: /products/{id} is /api/products/{id}.

Bodies are JSON objects of at most 1 MB and 10 levels. Unknown fields and query parameters are refused with VALIDATION_ERROR. A PUT accepts the record as it returns it. Every answer carries X-Request-Id: the caller's own value if it sent one. An answer 201 carries Location.

Every answer to a member carries RateLimit-Limit (requests per minute), RateLimit-Remaining (requests left) and RateLimit-Reset (seconds until the next minute). Above the limit the answer is 429 with Retry-After.

Requests that create or charge something accept an Idempotency-Key. If such a request is repeated with its key within 24 hours, it is carried out once, and the first answer is returned with Idempotency-Replayed: true.

Deprecated parts are marked here and in the header Deprecation of answers. Fields, values and codes may be added at any time.`,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/functions/v1" }],
  security: [{ token: [] }],
  tags: [
    { name: "Authentication", description: "Accounts and sessions, which Supabase Auth manages." },
    { name: "Tenancy", description: "A tenant, its members and its customers." },
    {
      name: "Suppliers",
      description: "Who sells: applications, suppliers, and reviews of their products.",
    },
    { name: "Marketplaces", description: "The trading sites of a tenant." },
    {
      name: "Categories",
      description: "The tree of categories, and the attributes that each requires of its products.",
    },
    { name: "Products", description: "The products of suppliers." },
    { name: "Inventory", description: "The stock, and the ledger of all its movements." },
    { name: "Media", description: "Images, videos, documents and 3D models, and their uses." },
    {
      name: "Content",
      description:
        "The texts and pages of a shop, with versions, languages and a publication workflow.",
    },
    {
      name: "Templates",
      description:
        "The pages of a shop: templates in versions and languages, their components, and rendering.",
    },
    {
      name: "Mail",
      description: "Mails about events: their texts, the log of mails, and suppressed addresses.",
    },
    { name: "Search", description: "Search for products by words and meaning, and synonyms." },
    {
      name: "Digital goods",
      description: "Files and licence keys that orders unlock.",
    },
    { name: "Services", description: "Calendars, free slots and bookings." },
    {
      name: "Checkouts",
      description: "What a cart costs and what it lacks, until it becomes an order.",
    },
    { name: "Orders", description: "Orders, from the reservation of stock to the delivery." },
    {
      name: "Payments",
      description:
        "Payments of orders by providers, and refunds by the provider that took the money.",
    },
    { name: "Taxes", description: "Rates of tax by country, region and category." },
    {
      name: "Discounts",
      description: "Percentages, amounts and free delivery, by a code or for everybody.",
    },
    {
      name: "Payouts",
      description: "What suppliers are owed, line by line, and what they were paid.",
    },
    { name: "Events", description: "The events of a tenant, in a fixed sequence." },
    { name: "Webhooks", description: "Signed deliveries of events to the addresses of a tenant." },
    {
      name: "Placement",
      description: "Campaigns of suppliers, who pay for better positions in lists.",
    },
    {
      name: "Analytics",
      description: "Sales, customers and visitors: figures, and dashboards of them.",
    },
  ],
};
