import { expect } from "vitest";
import { compileHtml, render } from "../../supabase/functions/_shared/liquid/engine.ts";
import {
  TemplateLimit,
  TemplateMistake,
} from "../../supabase/functions/_shared/liquid/mistakes.ts";
import { aPage } from "./pages.js";

/** The values for hostile texts. */
export const SCOPE = () => ({
  o: { a: 1, constructor: undefined },
  l: [{ a: 1 }, { a: 2 }],
  fake: JSON.parse(
    '{"toString":"x","valueOf":1,"then":1,"next":1,"length":1e9,"indexOf":2,"toLiquid":3,"size":-1,"__proto__":{"a":1}}',
  ),
});

/** Processor time of this process, in milliseconds. Other processes do not change it, as they would change wall time. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Longest processor time between two ticks of a timer during `work`, in milliseconds. */
async function heldUpBy(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = worked();
  const look = () => {
    longest = Math.max(longest, worked() - last);
    last = worked();
  };
  const timer = setInterval(look, 1);
  await work();
  look();
  clearInterval(timer);
  return longest;
}

/** Only mistakes and limits of templates are expected. */
function expectForeseen(error: unknown): void {
  if (!(error instanceof TemplateLimit)) expect(error).toBeInstanceOf(TemplateMistake);
}

/** Processor time of compiling and rendering a text, and the longest time that it blocks the event loop. */
async function timesOf(text: string): Promise<[took: number, held: number]> {
  const started = worked();
  let held = 0;
  try {
    const compiled = compileHtml(text);
    held = await heldUpBy(async () => {
      const html = await render(compiled, SCOPE(), aPage()).catch(expectForeseen);
      expect(html ?? "").not.toMatch(/function|\[object|class /);
    });
  } catch (error) {
    expectForeseen(error);
  }
  return [Math.round(worked() - started), Math.round(held)];
}

/** The minimum of a few attempts, each with another text, because compiled texts are kept. */
async function leastOf(tries: number, take: (attempt: number) => Promise<[number, number]>) {
  let [took, held] = await take(0);
  for (let more = 1; more < tries && (took > 500 || held > 25); more++) {
    const again = await take(more);
    [took, held] = [Math.min(took, again[0]), Math.min(held, again[1])];
  }
  return [took, held] as const;
}

/** Expects that a text ends within a second of processor time, and lets the event loop run meanwhile. */
export async function expectInTime(name: string, text: string): Promise<void> {
  const [took, held] = await leastOf(3, (attempt) => timesOf(text + " ".repeat(attempt)));
  if (process.env.SHOW_TIMES) console.log(`${took} ms, held up for ${held} ms: ${name}`);
  expect(took).toBeLessThan(1_000);
  expect(held).toBeLessThan(100);
}
