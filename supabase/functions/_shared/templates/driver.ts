import type { Budget } from "./budget.ts";

type Work = Iterator<unknown, unknown, unknown>;

/** The engine yields some twelve times for one output: so many yields are a step. */
const YIELDS_A_STEP = 4;

function isWork(value: unknown): value is Work {
  const work = value as Partial<Work> | null | undefined;
  return typeof work?.next === "function" && typeof work.throw === "function";
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/**
 * Runs the engine's work, which is made of generators that yield one another, to its end. Each of its yields is counted,
 * and the event loop gets its turn between them. They stand on a list rather than on the stack, so that work within work
 * cannot overflow it.
 *
 * @throws TemplateLimit when it takes too many steps, and whatever the work throws.
 */
export async function run(work: unknown, budget: Budget): Promise<unknown> {
  const running: Work[] = [];
  let value: unknown = work;
  let failure: { error: unknown } | undefined;
  let yields = 0;
  while (true) {
    // Not each time: asking for the time takes as long as most of what is done between, and waiting takes longer.
    if (++yields % YIELDS_A_STEP === 0) {
      budget.step();
      if (budget.due()) await budget.turn();
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
