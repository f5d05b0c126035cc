import pg from "pg";
import { load } from "../load.js";
import { median, progress, register } from "../servers.js";
import { queries } from "./queries.js";
import type { Address } from "./shop.js";
import { fill, type Length, makeModels, TENANTS } from "./speed.js";

/** Three attributes that products of all departments have. */
const FACETS = "facets=size,colour,material";

/** Matches all products. The counts of a list with a filter by price are not kept, so they are counted anew. */
const ANEW = "&price_min=0";

/** Maximum p50 with facets, as a multiple of the p50 of the same list without them. */
const AT_MOST = 1.5;

const search = (count: number) => {
  const { text } = queries[(count * 7919) % queries.length] as { text: string };
  return new URLSearchParams({ search: text });
};
/** Categories of the tenant, each of which has a 140th of the products. */
const categories = (first: number, many: number) =>
  Array.from({ length: many }, (_, n) => {
    const number = 1000 + ((first + n) % 140);
    return `f7000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  });

/** The lists of a customer, each measured without and with facets. */
const LISTS: Record<string, (count: number) => string> = {
  "the whole catalogue": () => "",
  "the whole catalogue, by price": () => "sort=price&order=asc",
  "a category": (count) => `category=${categories(count, 1)}`,
  "five categories": (count) => `category=${categories(count, 5)}`,
  "a search": (count) => `${search(count)}`,
  "two of the colours": () => "attributes[colour]=grey,white",
  "two of the colours, one material": () =>
    "attributes[colour]=grey,white&attributes[material]=steel",
};

/**
 * Measures the latency of lists with three attribute facets, in turn with the same lists without:
 * one customer of a tenant that has `products`, beside one that has a tenth. `filled`: both are
 * there already. Prints a table, in ms; counted anew, as after a change of a product.
 */
export async function facets(
  stack: Address,
  products: number,
  length: Length,
  filled: boolean,
): Promise<void> {
  if (!filled) {
    const db = new pg.Client({ connectionString: stack.db_url as string });
    await db.connect();
    try {
      progress(`filling in ${products} products`);
      await makeModels(db);
      await fill(db, 0, products * 10, false, 2);
    } finally {
      await db.end();
    }
  }
  const { token } = await register(stack.functions_url, { tenant_id: TENANTS["a tenth"] });
  const headers = { authorization: `Bearer ${token}` };
  const { pathname, origin } = new URL(stack.functions_url);
  const p50 = async (list: (count: number) => string, more: string) => {
    const wanted = (count: number) => ({
      method: "GET" as const,
      path: `${pathname}/api/products?limit=20&${list(count)}${more}`,
      headers,
    });
    const { seconds } = length;
    return (await load(origin, wanted, { connections: 1, seconds, status: 200 })).p50;
  };
  const table: Record<string, object> = {};
  for (const [name, list] of Object.entries(LISTS)) {
    const rounds: { [figure in "without" | "with" | "without, anew" | "with, anew"]: number }[] =
      [];
    // The first round warms up.
    for (let round = 0; round <= length.rounds; round += 1) {
      progress(`round ${round} of ${length.rounds}: ${name}`);
      const measured = {
        without: await p50(list, ""),
        with: await p50(list, `&${FACETS}`),
        "without, anew": await p50(list, ANEW),
        "with, anew": await p50(list, `&${FACETS}${ANEW}`),
      };
      if (round > 0) rounds.push(measured);
    }
    const ms = (figure: keyof (typeof rounds)[number]) =>
      Number(median(rounds.map((one) => one[figure])).toFixed(1));
    const ratio = median(rounds.map((one) => one.with / one.without));
    table[name] = {
      "p50 ms without": ms("without"),
      "p50 ms with": ms("with"),
      ratio: Number(ratio.toFixed(2)),
      goal: `at most ${AT_MOST}${ratio > AT_MOST ? ", missed" : ""}`,
      "without, counted anew": ms("without, anew"),
      "with, counted anew": ms("with, anew"),
    };
  }
  progress("");
  console.log(
    `one connection, ${length.rounds} × ${length.seconds} s, medians; ` +
      `a tenant with ${products} products; ${FACETS}`,
  );
  console.table(table);
}
