import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { start } from "../servers.js";

/** How a receiver may take what it is sent: answer late, never, or let nobody connect. */
export type Behaviour = "slow" | "mute" | "refusing";

/** How late a slow one answers. */
export const SLOW_MS = 5_000;

/** A delivery: the receiver's number, the event's, and when its last byte came in, in ms since 1970. */
export type Heard = [receiver: number, sequence: number, at: number];

/** The time in ms since 1970, to parts of it. */
export const now = () => performance.timeOrigin + performance.now();

export interface Receivers {
  urls: string[];
  behave(wanted: Partial<Record<Behaviour, number[]>>): Promise<void>;
  /** What has been heard since it was asked last, as soon as those that are well have heard `count` deliveries. Throws when none comes for a minute. */
  heard(count: number): Promise<Heard[]>;
}

/** Starts so many receivers in a process of their own, which is added to `children`. */
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
