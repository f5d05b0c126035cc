/** Maximum time to wait for an expected state, in ms. SOUK_TEST_PATIENCE multiplies it, for slow machines. */
export const PATIENCE_MS = 30_000 * Number(process.env.SOUK_TEST_PATIENCE ?? 1);

/** Pauses between two attempts, in ms. Each is 1.5 times as long as the previous one. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Repeats `look`, which contains the assertions, until it neither throws nor rejects, and resolves with its result.
 * After PATIENCE_MS it throws the last error, which shows the expected and the actual value.
 */
export async function eventually<Seen>(look: () => Seen | Promise<Seen>): Promise<Seen> {
  const begin = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    try {
      return await look();
    } catch (error) {
      const waited = performance.now() - begin;
      if (waited >= PATIENCE_MS) throw withWaitingTime(error, Math.round(waited / 1000));
    }
    await new Promise((later) => setTimeout(later, pause));
  }
}

/**
 * Waits until nothing is left of many things that happen one after the other. `countLeft` resolves with the number that
 * is left. PATIENCE_MS is the maximum time until the next one happens, because a slow machine takes longer for all.
 */
export async function eventuallyNone(countLeft: () => number | Promise<number>): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    left = await eventually(async () => {
      const now = await countLeft();
      if (now >= left) throw new Error(`${now} are left`);
      return now;
    });
  }
}

/** Returns the same error with the waiting time in front of its message. The diff and the stack trace are kept. */
function withWaitingTime(error: unknown, seconds: number): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  known.message = `still so after ${seconds} s: ${known.message}`;
  return known;
}

/** Waits as `eventually` does until `ask` returns a truthy value, and resolves with it. */
export function until<Answer>(
  ask: () => Answer | Promise<Answer>,
  awaited = ask.toString(),
): Promise<Exclude<Answer, false | null | undefined>> {
  return eventually(async () => {
    const answer = await ask();
    if (!answer) throw new Error(`${awaited} is ${answer}`);
    return answer as Exclude<Answer, false | null | undefined>;
  });
}
