import { commandOf } from "../clock.js";
import { query } from "../database.js";
import { addCategory, type Bazaar, listProduct, must, type Person, register } from "../souk.js";

// Promoting products and telling of it what visitors did, as several tests do.

export const PLACEMENT = "/api/v1/top-placement";

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
export type Shown = any;

/** A category with settings of its own: in that of nobody's wish a click costs what is bid, since nobody may bid less. */
export async function openCategory(
  { operator }: Bazaar,
  settings: object = { minBid: 0.5 },
  parentId: string | null = null,
) {
  const category = { id: await addCategory(operator, "Lamps", parentId) };
  if (Object.keys(settings).length > 0) await configureCategory(operator, category, settings);
  return category;
}

/** Sets what a category wants of its campaigns. */
export const configureCategory = (operator: Person, { id }: { id: string }, settings: object) =>
  must("PUT", `${PLACEMENT}/categories/${id}`, { as: operator, body: settings });

/** Brings all campaigns up to now, as each minute does: behind a run of that minute, which would have this one do nothing. */
export async function runCampaigns(): Promise<void> {
  await query(`select private.hold('campaign_run', ''); ${await commandOf("run-campaigns")}`);
}

/** Lists a product of the supplier and promotes it: a click costs 0.50 of no budget. */
export async function promote(
  { operator, supplier }: Pick<Bazaar, "operator" | "supplier">,
  category: { id: string },
  wish: object = {},
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
      ...wish,
    },
  });
  return { ...campaign, product: listed };
}

/** Reports events, and answers what became of each. */
export async function report(as: Person, ...events: unknown[]): Promise<Shown[]> {
  return (await must("POST", `${PLACEMENT}/events`, { as, body: { events } })).results;
}

/** What became of each, in words: `charged`, `not_charged budget`. */
export async function told(...report_: Parameters<typeof report>): Promise<string[]> {
  const results = await report(...report_);
  return results.map(({ status, reason }) => (reason ? `${status} ${reason}` : status));
}

export const click = (campaign: { id: string }, visitor_id: string, wish: object = {}) => ({
  type: "click",
  campaign_id: campaign.id,
  visitor_id,
  ...wish,
});

export const impression = (campaign: { id: string }, visitor_id: string, wish: object = {}) => ({
  ...click(campaign, visitor_id, wish),
  type: "impression",
});

export function statsOf(as: Person, campaign: { id: string }, query = ""): Promise<Shown> {
  return must("GET", `${PLACEMENT}/campaigns/${campaign.id}/stats${query}`, { as });
}

/** The ledger, the first charge first. */
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

/** These events with the tokens of promotions that somebody was shown, as lists have them, wherever they stand in these. */
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
