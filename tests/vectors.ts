import { beforeEach, describe } from "vitest";
import { query } from "./database.js";

// What is found by meaning needs the extension `vector`. Where the server has none, tests of it are skipped, and
// the report says why.

const [found] = await query<{ table: string | null }>(
  "select to_regclass('private.product_embeddings') as table",
);

/** Whether the run's server has vectors: their migration is left out of one that cannot. */
export const hasVectors = Boolean(found?.table);

/** Why a test is skipped. */
export const NO_VECTORS =
  "this server has no pgvector (Postgres 17 from npm comes without it; PGlite has it)";

if (!hasVectors) console.warn(`left out: ${NO_VECTORS}`);

/** A group of tests that need vectors. */
export function describeMeaning(name: string, tests: () => void): void {
  describe(name, () => {
    beforeEach(({ skip }) => skip(!hasVectors, NO_VECTORS));
    tests();
  });
}
