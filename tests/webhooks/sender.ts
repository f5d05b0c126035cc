// Runs in Deno, as the real sender does: makes the attempts that it reads from its input, one per line, and prints
// their outcomes.
import process from "node:process";
import { createInterface } from "node:readline";
import {
  type Outcome,
  type Outgoing,
  send,
} from "../../supabase/functions/_shared/webhooks/send.ts";

/** A request of the tests. */
export interface Order {
  number: number;
  outgoing: Outgoing;
  /** The addresses of a name in the first lookup, the second, and so on; null never answers. */
  names: Record<string, (string[] | null)[]>;
  timeoutMs: number;
  mayReachLoopback: boolean;
}

export interface Report {
  number: number;
  outcome: Outcome;
  /** The names that the resolver was asked for. */
  asked: string[];
}

/** The number of lookups of each name, over all requests. */
const times = new Map<string, number>();

for await (const line of createInterface({ input: process.stdin })) carryOut(JSON.parse(line));
process.exit();

async function carryOut({ number, outgoing, names, ...options }: Order) {
  const asked: string[] = [];
  const resolve = (name: string) => {
    asked.push(name);
    const answers = names[name] ?? [];
    const time = times.get(name) ?? 0;
    times.set(name, time + 1);
    const answer = answers[Math.min(time, answers.length - 1)];
    return answer === null ? new Promise<never>(() => {}) : Promise.resolve(answer ?? []);
  };
  const outcome = await send(outgoing, { resolve, ...options });
  process.stdout.write(`${JSON.stringify({ number, outcome, asked } satisfies Report)}\n`);
}
