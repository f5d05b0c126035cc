import { type PGlite, protocol } from "@electric-sql/pglite";
import { readConfig } from "../../packages/stack/src/config.js";
import { asDatabase, startPglite } from "../../packages/stack/src/db/pglite.js";
import { preparePlatform } from "../../packages/stack/src/db/platform.js";
import { CALLER, type Case, cases, migration, SETTINGS } from "./notes.js";

/** PGlite in memory with the table of notes. */
export async function openNotes(root: string): Promise<PGlite> {
  const pglite = await startPglite(null);
  await preparePlatform(await asDatabase(pglite), await readConfig(root));
  await pglite.exec(migration);
  return pglite;
}

/**
 * Measures the maximum rate of any server over PGlite: the cases' prepared statements, each sent in one call from the
 * same process, without reading the results.
 */
export async function ratesOfPglite(root: string, seconds: number): Promise<Map<Case, number>> {
  const { serialize } = protocol;
  const pglite = await openNotes(root);
  const prepare = (name: string, text: string) =>
    pglite.execProtocolRaw(Buffer.concat([serialize.parse({ name, text }), serialize.sync()]));
  const call = (statement: string, values: string[]) => [
    serialize.bind({ statement, values }),
    serialize.execute({}),
  ];

  await prepare("settings", SETTINGS);
  const rates = new Map<Case, number>();
  for (const [i, one] of cases.entries()) {
    await prepare(`case${i}`, one.sql);
    const until = performance.now() + seconds * 1000;
    let count = 0;
    for (; performance.now() < until; count += 1) {
      const { path, body = "" } = one.wanted(count);
      const parameters = one.parameters(new URLSearchParams(path.split("?")[1]), body);
      const asked = [
        ...call("settings", CALLER),
        ...call(`case${i}`, parameters),
        serialize.sync(),
      ];
      await pglite.execProtocolRaw(Buffer.concat(asked));
    }
    rates.set(one, Math.round(count / seconds));
  }
  await pglite.close();
  return rates;
}
