/** Longest wait for what has to happen, in ms. SOUK_TEST_PATIENCE multiplies it, for a slow machine. */
export const PATIENCE_MS = 30_000 * Number(process.env.SOUK_TEST_PATIENCE ?? 1);

/** Pauses between two looks, in ms: each is half as long again as the one before. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Repeats `look`, which holds the assertions, until it neither throws nor rejects, and resolves with what it returned.
 * When the patience is used up it throws the last error, which says what was awaited and what was there instead.
 */
export async function eventually<Seen>(look: () => Seen | Promise<Seen>): Promise<Seen> {
  const begin = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    try {
      return await look();
    } catch (error) {
      const waited = performance.now() - begin;
      if (waited >= PATIENCE_MS) throw told(error, Math.round(waited / 1000));
    }
    await new Promise((later) => setTimeout(later, pause));
  }
}

/** The same error, and so its diff and the line it came from, with the time in front of its message. */
function told(error: unknown, seconds: number): Error {
  const known = error instanceof Error ? error : new Error(String(error));
  known.message = `still so after ${seconds} s: ${known.message}`;
  return known;
}

/** Waits as `eventually` does, until `ask` answers with something that is true, and resolves with it. */
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
