import type { Budget } from "./budget.ts";

type Work = Iterator<unknown, unknown, unknown>;

/** Yields of the engine that count as one step. It yields about twelve times for one output. */
const YIELDS_A_STEP = 4;

function isWork(value: unknown): value is Work {
  const work = value as Partial<Work> | null | undefined;
  return typeof work?.next === "function" && typeof work.throw === "function";
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/**
 * Runs the generators of the engine, which yield other generators, to their end. It counts each yield, and lets the event
 * loop run between yields. Generators are kept in a list and not on the call stack, so that nesting cannot overflow it.
 *
 * @throws TemplateLimit when there are too many steps; and all errors of the generators.
 */
export async function run(work: unknown, budget: Budget): Promise<unknown> {
  const running: Work[] = [];
  let value: unknown = work;
  let failure: { error: unknown } | undefined;
  let yields = 0;
  while (true) {
    // Not at each yield: reading the clock takes as long as most of the work between two yields.
    if (++yields % YIELDS_A_STEP === 0) {
      budget.step();
      if (budget.due()) await budget.yieldIfDue();
    }
    if (!failure && isWork(value)) {
      running.push(value);
      value = undefined;
    } else if (!failure && isPromise(value)) {
      try {
        value = await value;
      } catch (error) {
        failure = { error };
      }
      continue;
    }
    const current = running.at(-1);
    if (!current) {
      if (failure) throw failure.error;
      return value;
    }
    try {
      const thrown = failure;
      failure = undefined;
      const state = thrown ? current.throw?.(thrown.error) : current.next(value);
      value = state?.value;
      if (state?.done) running.pop();
    } catch (error) {
      running.pop();
      failure = { error };
    }
  }
}
