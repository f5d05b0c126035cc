import type { Product } from "./catalogue.js";
import { DEPTH, type Engine } from "./engines.js";
import { mean, ndcg, recall } from "./measures.js";
import { grade, type Kind, kinds, type Query } from "./rules.js";

/** The quality of an engine's results for a query. */
export interface Judged {
  query: Query;
  engine: string;
  /** nDCG of the first ten. */
  ndcg: number;
  /** Recall of the first fifty. */
  recall: number;
  /** The results, best first, as external ids. */
  found: string[];
}

/** Sends all queries to an engine. `names` maps an id to the seller's external id. */
export async function judge(
  engine: Engine,
  queries: readonly Query[],
  products: readonly Product[],
  names: ReadonlyMap<string, string>,
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const query of queries) {
    const grades = new Map(
      products.map((product) => [product.external_id, grade(query.rule, product)]),
    );
    const found = (await engine.find(query.text)).map((id) => names.get(id) ?? id);
    judged.push({
      query,
      engine: engine.name,
      ndcg: ndcg(found, grades, 10),
      recall: recall(found, grades, DEPTH),
      found,
    });
  }
  return judged;
}

/** Returns the mean of a measure, optionally of one kind of query. */
export function meanOf(judged: readonly Judged[], measure: "ndcg" | "recall", kind?: Kind): number {
  return mean(
    judged.filter(({ query }) => !kind || query.kind === kind).map((one) => one[measure]),
  );
}

/**
 * Returns a table with a line for each kind of query and one for all, and a column for each engine.
 */
export function table(judged: readonly Judged[], measure: "ndcg" | "recall") {
  const engines = [...new Set(judged.map(({ engine }) => engine))];
  const row = (kind?: Kind) => {
    const of = judged.filter(({ query }) => !kind || query.kind === kind);
    return {
      queries: of.length / engines.length,
      ...Object.fromEntries(
        engines.map((name) => [
          name,
          Number(
            meanOf(
              of.filter(({ engine }) => engine === name),
              measure,
            ).toFixed(2),
          ),
        ]),
      ),
    };
  };
  const present = (Object.keys(kinds) as Kind[]).filter((kind) =>
    judged.some(({ query }) => query.kind === kind),
  );
  return { ...Object.fromEntries(present.map((kind) => [kind, row(kind)])), all: row() };
}
