import { expect } from "vitest";
import { compileHtml, render } from "../../supabase/functions/_shared/templates/liquid.ts";
import {
  TemplateLimit,
  TemplateMistake,
} from "../../supabase/functions/_shared/templates/mistakes.ts";
import { aPage } from "./pages.js";

/** What hostile texts are rendered with. */
export const SCOPE = () => ({
  o: { a: 1, constructor: undefined },
  l: [{ a: 1 }, { a: 2 }],
  fake: JSON.parse(
    '{"toString":"x","valueOf":1,"then":1,"next":1,"length":1e9,"indexOf":2,"toLiquid":3,"size":-1,"__proto__":{"a":1}}',
  ),
});

/** Milliseconds that the processor has worked for this process: how busy others keep it is not what is tried here. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The longest time that a timer was kept waiting while something went on. */
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

/** What went wrong is foreseen, or else the test fails. */
function expectForeseen(error: unknown): void {
  if (!(error instanceof TemplateLimit)) expect(error).toBeInstanceOf(TemplateMistake);
}

/** How long a text takes, compiled and rendered, and how long rendering holds others up. */
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

/** The least that something takes in a few tries, each of another text: what else a machine does is none of its doing. */
async function leastOf(tries: number, take: (attempt: number) => Promise<[number, number]>) {
  let [took, held] = await take(0);
  for (let more = 1; more < tries && (took > 500 || held > 25); more++) {
    const again = await take(more);
    [took, held] = [Math.min(took, again[0]), Math.min(held, again[1])];
  }
  return [took, held] as const;
}

/** Holds a text to its time: it ends within a second, and lets others have their turn meanwhile. */
export async function expectInTime(name: string, text: string): Promise<void> {
  const [took, held] = await leastOf(3, (attempt) => timesOf(text + " ".repeat(attempt)));
  if (process.env.SHOW_TIMES) console.log(`${took} ms, held up for ${held} ms: ${name}`);
  expect(took).toBeLessThan(1_000);
  expect(held).toBeLessThan(100);
}
