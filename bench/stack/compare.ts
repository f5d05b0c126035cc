import { load, type Measured, type Wanted } from "../load.js";
import { median, progress } from "../servers.js";

/** A kind of request that all servers answer. */
export interface Comparable {
  name: string;
  status: number;
  /** The request with this number for a server, named as in `servers`. */
  wanted(count: number, server: string): Pick<Wanted, "method" | "path" | "body">;
}

export interface Effort {
  /** Connections at once, each with one request in flight. */
  connections: number;
  /** Length of one measurement. */
  seconds: number;
  /** Measurements of each case and server. Another round before them warms up. */
  rounds: number;
}

/** Measures all servers in turn with each case. Resolves with the measurements of the rounds, by server. */
export async function measure<Case extends Comparable>(
  cases: readonly Case[],
  servers: Record<string, string>,
  headers: Record<string, string>,
  { connections, seconds, rounds }: Effort,
): Promise<Map<Case, Record<string, Measured[]>>> {
  const measured = new Map<Case, Record<string, Measured[]>>(cases.map((one) => [one, {}]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [one, made] of measured) {
      for (const [server, origin] of Object.entries(servers)) {
        progress(`round ${round} of ${rounds}: ${one.name}, ${server}`);
        const wanted = (count: number) => ({ ...one.wanted(count, server), headers });
        const length = { connections, seconds: round === 0 ? 1 : seconds, status: one.status };
        const result = await load(origin, wanted, length);
        if (round > 0) made[server] = [...(made[server] ?? []), result];
      }
    }
  }
  progress("");
  return measured;
}

/**
 * The row of a case in a table: the rates of all servers, and the stack's rate as a share of each.
 */
export function row({ stack = [], ...others }: Record<string, Measured[]>) {
  const rate = (made: Measured[]) => Math.round(median(made.map((one) => one.rate)));
  const share = (made: Measured[], of: Measured[]) =>
    Math.round(100 * median(made.map((one, i) => one.rate / (of[i] as Measured).rate)));
  return {
    "stack /s": rate(stack),
    ...Object.fromEntries(
      Object.entries(others).flatMap(([server, made]) => [
        [`${server} /s`, rate(made)],
        [`of ${server}`, `${share(stack, made)} %`],
      ]),
    ),
    "p50 ms": Number(median(stack.map(({ p50 }) => p50)).toFixed(1)),
    "p99 ms": Number(median(stack.map(({ p99 }) => p99)).toFixed(1)),
  };
}
