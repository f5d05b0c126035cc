// Measures what the audit log costs an order, in turn with the same orders without its triggers, in Postgres alone:
// `npm run bench -- commerce/audit`. Fails above 2 %.
import { parseArgs } from "node:util";
import { median, progress, stop } from "../servers.js";
import { itemsOf, openDemo, orderOf, PRODUCTS, timeOf } from "./placing.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    orders: { type: "string", default: "25" },
  },
});
const MOST = 1.02;

progress("starting the stack");
const demo = await openDemo(".");
try {
  await demo.client.query(`
    create function pg_temp.switch_audit(is_on boolean) returns void language plpgsql as $$
    declare t record;
    begin
      for t in
        select tgrelid::regclass as relation, tgname from pg_trigger where tgname like '\\_audit\\_%'
      loop
        execute format('alter table %s %s trigger %I', t.relation, case when is_on then 'enable' else 'disable' end, t.tgname);
      end loop;
    end $$;
  `);
  const items = await itemsOf(demo, PRODUCTS.slice(3, 4));
  const callers = { customer: "customer@demo.souk.test", admin: "operator@demo.souk.test" };
  for (const [name, email] of Object.entries(callers)) {
    const place = await orderOf(demo, email, items);
    const ratios: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const times = { with: 0, without: 0 };
      for (const arm of round % 2
        ? (["with", "without"] as const)
        : (["without", "with"] as const)) {
        await demo.client.query(`select pg_temp.switch_audit($1)`, [arm === "with"]);
        times[arm] = await timeOf(place, Number(values.orders));
      }
      ratios.push(times.with / times.without);
    }
    const ratio = median(ratios);
    console.log(
      `an order of the ${name}: ${(100 * (ratio - 1)).toFixed(1)} % more with the audit log`,
    );
    if (ratio > MOST) process.exitCode = 1;
  }
  await demo.client.end();
} finally {
  await stop(demo.stack);
}
