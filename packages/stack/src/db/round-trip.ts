import pg from "pg";
import { isEnding } from "./away.js";
import { isDatabaseError, type Parameter } from "./database.js";

/** One of several statements that are sent together. */
export interface Part {
  /** The name under which the session keeps the statement parsed and planned, or empty. */
  name: string;
  sql: string;
  params: readonly Parameter[];
}

/** The methods of pg's connection that its types leave out. */
interface Connection {
  close(message: { type: "S"; name: string }): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly Parameter[]; valueMapper: unknown }): void;
  describe(message: { type: "P"; name: string }): void;
  execute(message: { portal: string; rows: number }): void;
  sync(): void;
  once(event: "readyForQuery" | "end", listener: () => void): void;
  off(event: "readyForQuery" | "end", listener: () => void): void;
}

/** The overridable methods of pg's query that its types leave out. */
interface OwnQuery {
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}
type Answered = (error: Error | null, result: pg.QueryResult) => void;
const Query = pg.Query as unknown as new (config: object, answered: Answered) => OwnQuery;

/**
 * Statements sent in one round trip, before a single `sync`: they make one transaction, unless one
 * is already open. Returns the rows of the last statement.
 */
class RoundTrip extends Query {
  private left: number;

  constructor(
    private readonly parts: readonly Part[],
    private readonly kept: Set<string>,
    answered: Answered,
  ) {
    super({ text: parts.at(-1)?.sql, queryMode: "extended" }, answered);
    this.left = parts.length;
  }

  prepare(connection: Connection): void {
    for (const { name, sql, params } of this.parts) {
      if (!this.kept.has(name)) {
        // The name may exist although its statement failed.
        if (name) connection.close({ type: "S", name });
        connection.parse({ name, text: sql });
      }
      connection.bind({ statement: name, values: params, valueMapper: asItIs });
      if (sql === this.parts.at(-1)?.sql) connection.describe({ type: "P", name: "" });
      connection.execute({ portal: "", rows: 0 });
    }
    connection.sync();
  }

  override handleDataRow(message: object): void {
    if (this.left === 1) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.left === 1) super.handleCommandComplete(message, connection);
    else this.left -= 1;
  }

  override handleReadyForQuery(connection: Connection): void {
    for (const { name } of this.parts) if (name) this.kept.add(name);
    super.handleReadyForQuery(connection);
  }

  /**
   * Postgres reports an error before it rolls back. As with PostgREST, the error is answered
   * afterwards, so that a caller's next request meets no locks of the failed one.
   */
  override handleError(error: Error, connection: Connection): void {
    const answer = () => {
      connection.off("readyForQuery", answer);
      connection.off("end", answer);
      super.handleError(error, connection);
    };
    if (isDatabaseError(error) && !isEnding(error)) {
      connection.once("readyForQuery", answer);
      connection.once("end", answer);
    } else {
      answer();
    }
  }
}

const asItIs = (value: Parameter) => value;

/**
 * Sends all of `parts` at once; `kept` holds the names of statements that this session has
 * prepared.
 */
export function send<Row>(
  client: pg.ClientBase,
  kept: Set<string>,
  parts: readonly Part[],
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const answered: Answered = (error, result) =>
      error ? reject(error) : resolve(result.rows as Row[]);
    client.query(new RoundTrip(parts, kept, answered) as never);
  });
}
