import type { CallOptions, Http } from "./http.js";
import { textIn } from "./imports.js";
import { payoutsMethods } from "./methods.generated.js";
import type { PayoutStatement } from "./openapi.generated.js";
import type { Operations } from "./operations.js";

export const payoutsOf = (operations: Operations, http: Http) => {
  const path = "/api/payouts/{id}/statement";
  const statement = operations.list(path);

  return {
    ...payoutsMethods(operations),
    /**
     * The payout with its supplier, the sums of its lines by kind, and its lines, also if it failed or was reversed.
     * Each started 100 lines count as a request of the minute.
     */
    statement: (id: string, options?: CallOptions): Promise<PayoutStatement> =>
      statement(id, {}, options),
    /** The same as CSV, one row for each line. Yields the parts of the file's text. */
    async *statementCsv(id: string, options?: CallOptions): AsyncGenerator<string> {
      const params = { path: { id }, query: { format: "csv" } };
      yield* textIn(await http.stream("get", path, { params, ...options }));
    },
  };
};

/** What suppliers were paid, and are to be. */
export interface Payouts extends ReturnType<typeof payoutsOf> {}
