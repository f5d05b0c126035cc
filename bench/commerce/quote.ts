// Measures in Postgres alone what an order of five items costs, in turn with an earlier version of Souk, whose repository is
// in another folder; the same with tax and a discount; and how long a quote of 20 items takes:
// `npm run bench -- commerce/quote --before ../souk-before`. Fails above 15 % or 10 ms.
import { parseArgs } from "node:util";
import { median, progress, stop } from "../servers.js";
import { type Demo, itemsOf, MARKETPLACE, openDemo, orderOf, PRODUCTS, timeOf } from "./placing.js";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "30" },
    orders: { type: "string", default: "20" },
  },
});
const MOST = 1.15;
const MOST_MS = 10;
if (!values.before) throw new Error("Name the folder of the version before: --before FOLDER");

progress("starting three stacks");
const demos: Record<string, Demo> = {};
try {
  for (const [name, folder] of Object.entries({ before: values.before, now: ".", taxed: "." })) {
    demos[name] = await openDemo(folder);
  }
  const { taxed } = demos as { taxed: Demo };
  await taxed.client.query(`
    insert into public.tax_rates (tenant_id, country, rate, name)
    select m.tenant_id, 'MA', 20, 'TVA' from public.marketplaces m where m.id = '${MARKETPLACE}'
    on conflict do nothing;
    insert into public.discounts (tenant_id, kind, value, borne_by)
    select m.tenant_id, 'percentage', 7, 'operator' from public.marketplaces m where m.id = '${MARKETPLACE}';
  `);
  const places: Record<string, () => Promise<void>> = {};
  for (const [name, demo] of Object.entries(demos)) {
    places[name] = await orderOf(demo, "customer@demo.souk.test", await itemsOf(demo, PRODUCTS));
  }
  const ratios: Record<string, number[]> = { now: [], taxed: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    progress(`round ${round + 1} of ${values.rounds}`);
    const times: Record<string, number> = {};
    const names = Object.keys(places);
    for (const name of round % 2 ? names : names.toReversed()) {
      times[name] = await timeOf(places[name] as () => Promise<void>, Number(values.orders));
    }
    for (const [name, list] of Object.entries(ratios)) {
      list.push((times[name] as number) / (times.before as number));
    }
  }
  for (const [name, list] of Object.entries(ratios)) {
    const ratio = median(list);
    const what = name === "now" ? "an order of 5 items" : "the same with tax and a discount";
    console.log(`${what}: ${(100 * (ratio - 1)).toFixed(1)} % more than before`);
    if (ratio > MOST) process.exitCode = 1;
  }
  const items = await itemsOf(taxed, Array(4).fill(PRODUCTS).flat());
  const quote = () =>
    taxed.client.query(
      `select private.quote(
         m, (select c.id from public.customers c where c.tenant_id = m.tenant_id limit 1),
         private.taxed_place(m.settings, '{"country": "MA"}', null, null),
         private.offered_delivery(m.settings, 'pickup'), '{}',
         private.order_lines(m.tenant_id, m.id, $1, 'pickup', false)
       )
       from public.marketplaces m where m.id = '${MARKETPLACE}'`,
      [items],
    );
  const ms = (await timeOf(quote, 100)) / 100;
  console.log(`a quote of 20 items: ${ms.toFixed(1)} ms`);
  if (ms > MOST_MS) process.exitCode = 1;
} finally {
  for (const { client, stack } of Object.values(demos)) {
    await client.end();
    await stop(stack);
  }
}
