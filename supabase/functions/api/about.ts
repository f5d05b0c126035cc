/** What the OpenAPI document says of all operations; its tags stand in the order of a shop's day. */
export const about = {
  openapi: "3.1.0",
  info: {
    title: "Souk",
    version: "0.0.1",
    description: `A multi-tenant marketplace backend. Every request is made by a member of one tenant and sees that tenant only.

Addresses are below <project>/functions/v1. What stands here under /api/marketplaces, /api/products and /api/orders answers without /api as well: /products/{id} is /api/products/{id}.

Bodies are JSON objects of at most 1 MB and 10 levels. A field or a query parameter that is not known is refused with VALIDATION_ERROR; a PUT takes back the record that it answers. Every answer carries X-Request-Id, the caller's own if it sent one. An answer 201 carries Location.

Every answer to a member carries RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset (seconds): how many requests its minute may hold, how many are left, and when the next one begins. Above the limit the answer is 429 with Retry-After.

What creates or charges takes an Idempotency-Key: a request that is repeated with its key within 24 hours is carried out once, and answered as it was the first time, with Idempotency-Replayed: true.

What is deprecated says so here, and in the header Deprecation of its answers. New fields, values and codes may come at any time.`,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/functions/v1" }],
  security: [{ token: [] }],
  tags: [
    { name: "Authentication", description: "Accounts and their sessions, by Supabase Auth." },
    { name: "Tenancy", description: "A tenant, its members, its suppliers and its customers." },
    { name: "Marketplaces", description: "The trading sites of a tenant." },
    {
      name: "Categories",
      description: "The tree by which products are found, and what it asks of them.",
    },
    { name: "Products", description: "What suppliers sell, and its stock." },
    { name: "Inventory", description: "What is in stock, and the ledger of all its movements." },
    { name: "Media", description: "Images, videos, documents and 3D models, and what uses them." },
    {
      name: "Content",
      description: "What a shop writes, in versions and languages, and who publishes it.",
    },
    {
      name: "Templates",
      description:
        "The pages of a shop: templates in versions and languages, their components, and rendering.",
    },
    {
      name: "Mail",
      description: "Letters about events: their texts, the log of mails, and suppressed addresses.",
    },
    { name: "Search", description: "What products are found by." },
    {
      name: "Digital goods",
      description: "Files and licence keys, and what orders unlock of them.",
    },
    { name: "Services", description: "Calendars, free slots and bookings." },
    { name: "Orders", description: "What customers buy, from the reservation to the delivery." },
    { name: "Events", description: "What happened in a tenant, to be read in sequence." },
    { name: "Webhooks", description: "Events, posted and signed, to the addresses of a tenant." },
    {
      name: "Placement",
      description: "Products that their suppliers pay to have shown first.",
    },
    {
      name: "Analytics",
      description: "Sales, customers and visitors: figures, and dashboards of them.",
    },
  ],
};
