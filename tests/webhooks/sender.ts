// Runs in Deno, where webhooks are sent from: makes the attempts that it reads from its input, a line each, and
// prints what came of them.
import process from "node:process";
import { createInterface } from "node:readline";
import {
  type Outcome,
  type Outgoing,
  send,
} from "../../supabase/functions/_shared/webhooks/send.ts";

/** What the tests ask for. */
export interface Order {
  number: number;
  outgoing: Outgoing;
  /** What a name resolves to the first time, the second, and so on; null is no answer, ever. */
  names: Record<string, (string[] | null)[]>;
  timeoutMs: number;
  mayReachLoopback: boolean;
}

export interface Report {
  number: number;
  outcome: Outcome;
  /** Whom the resolver was asked for. */
  asked: string[];
}

/** How often a name has been asked for, over all orders. */
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
