import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { start } from "../servers.js";

/** The behaviour of a receiver: answers late, never answers, or refuses connections. */
export type Behaviour = "slow" | "mute" | "refusing";

/** Delay of a slow receiver. */
export const SLOW_MS = 5_000;

/**
 * A delivery: the receiver's number, the event's number, and when its last byte arrived, in ms
 * since 1970.
 */
export type Heard = [receiver: number, sequence: number, at: number];

/** The time in ms since 1970, with fractions. */
export const now = () => performance.timeOrigin + performance.now();

export interface Receivers {
  urls: string[];
  behave(wanted: Partial<Record<Behaviour, number[]>>): Promise<void>;
  /**
   * Waits until the healthy receivers have received `count` deliveries. Resolves with all since the
   * last call. Throws if none arrives for a minute.
   */
  heard(count: number): Promise<Heard[]>;
}

/** Starts receivers in a separate process, which is added to `children`. */
export async function openReceivers(count: number, children: ChildProcess[]): Promise<Receivers> {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const [child, ready] = await start(here, "receivers.ts", [String(count)]);
  children.push(child);
  const { control, ports } = JSON.parse(ready) as { control: number; ports: number[] };
  const ask = async (path: string, body?: object) => {
    const request = { method: body ? "POST" : "GET", body: body && JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${control}${path}`, request)).json();
  };
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    behave: (wanted) => ask("/behave", wanted),
    async heard(count) {
      let last = 0;
      let patience = now() + 60_000;
      for (;;) {
        const there = await ask("/count");
        if (there >= count) return ask("/heard");
        if (there > last) patience = now() + 60_000;
        if (now() > patience) throw new Error(`${there} of ${count} deliveries came in, then none`);
        last = there;
        await pause(100);
      }
    },
  };
}
