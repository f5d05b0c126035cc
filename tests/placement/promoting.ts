import { query } from "../database.js";
import { listProduct, must, type Person, register, type TestTenant } from "../souk.js";

// Helpers that promote products and report visitors' events, for several test files.

export const PLACEMENT = "/api/v1/top-placement";

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
export type Shown = any;

/** A category in which a click costs the bid, because the minimum bid is as high. */
export async function openCategory({ operator }: TestTenant, minBid = 0.5, overrides: object = {}) {
  const category = await must("POST", "/api/categories", {
    as: operator,
    body: { name: "Lamps" },
  });
  await must("PUT", `${PLACEMENT}/categories/${category.id}`, {
    as: operator,
    body: { minBid, ...overrides },
  });
  return category;
}

/** Lists a product of the supplier and promotes it: a click costs 0.50, without a budget. */
export async function promote(
  { operator, supplier }: Pick<TestTenant, "operator" | "supplier">,
  category: { id: string },
  overrides: object = {},
  product: object = {},
): Promise<Shown> {
  const listed = await listProduct(supplier, {
    category_id: category.id,
    inventory: { quantity: 1000 },
    ...product,
  });
  const campaign = await must("POST", `${PLACEMENT}/campaigns`, {
    as: operator,
    body: {
      productId: listed.id,
      categoryId: category.id,
      duration: 7,
      bidAmount: 0.5,
      pricingModel: "cpc",
      ...overrides,
    },
  });
  return { ...campaign, product: listed };
}

/** Reports events. Returns the result of each. */
export async function report(as: Person, ...events: unknown[]): Promise<Shown[]> {
  return (await must("POST", `${PLACEMENT}/events`, { as, body: { events } })).results;
}

/** The result of each event as text: `charged`, `not_charged budget`. */
export async function outcomes(...report_: Parameters<typeof report>): Promise<string[]> {
  const results = await report(...report_);
  return results.map(({ status, reason }) => (reason ? `${status} ${reason}` : status));
}

export const click = (campaign: { id: string }, visitor_id: string, overrides: object = {}) => ({
  type: "click",
  campaign_id: campaign.id,
  visitor_id,
  ...overrides,
});

export const impression = (
  campaign: { id: string },
  visitor_id: string,
  overrides: object = {},
) => ({
  ...click(campaign, visitor_id, overrides),
  type: "impression",
});

export function statsOf(as: Person, campaign: { id: string }, query = ""): Promise<Shown> {
  return must("GET", `${PLACEMENT}/campaigns/${campaign.id}/stats${query}`, { as });
}

/** The ledger, oldest charge first. */
export async function chargesOf(as: Person, campaign: { id: string }): Promise<Shown[]> {
  const path = `${PLACEMENT}/campaigns/${campaign.id}/charges?limit=1000&order=asc`;
  return (await must("GET", path, { as })).charges;
}

export function campaignOf(as: Person, campaign: { id: string }): Promise<Shown> {
  return must("GET", `${PLACEMENT}/campaigns/${campaign.id}`, { as });
}

/** A customer whose account is an hour old. */
export async function registerOld(tenantId: string): Promise<Person> {
  const person = await register({ tenant_id: tenantId });
  await makeOld(person);
  return person;
}

export function makeOld(...people: Person[]) {
  return query(
    "update auth.users set created_at = created_at - interval '1 hour' where id = any ($1)",
    [people.map(({ id }) => id)],
  );
}

/** These events with the tokens of the promotions that a person was shown in lists. */
export async function shownTo<Event extends { campaign_id: string }>(
  person: Person,
  ...events: Event[]
): Promise<(Event & { token: string })[]> {
  const [row] = await query<{ tokens: string[] }>(
    `with caller as materialized (select set_config('request.jwt.claims', $1, true)),
      seal as materialized (select private.promotion_seal('category') as it from caller)
    select array(
      select private.promotion_token(shown.id, seal.it)
      from unnest($2::uuid[]) with ordinality as shown (id, position)
      order by shown.position
    ) as tokens
    from seal`,
    [JSON.stringify({ sub: person.id }), events.map(({ campaign_id }) => campaign_id)],
  );
  return events.map((event, i) => ({ ...event, token: row?.tokens[i] as string }));
}
