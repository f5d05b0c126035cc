/** The answer to a question, or why there is none. Neither is there before it has arrived. */
export interface KnownAnswer {
  value?: unknown;
  error?: Error;
}

/** The answers that are there before a page is shown, by the keys of their questions. */
export interface Answers {
  /** The answer to a question. The server asks it, and shows the page again with the answer. */
  find(key: string, ask: () => Promise<unknown>): KnownAnswer;
  /** Whether there was an answer. It is used once, and later asked for again. */
  use(key: string): boolean;
}

/** The answers that the server has sent with the page. */
export function sentAnswers(values: Record<string, unknown> = {}): Answers {
  const known = new Map(Object.entries(values));
  return {
    find: (key) => (known.has(key) ? { value: known.get(key) } : {}),
    use: (key) => known.delete(key),
  };
}

/** Collects the answers that a page needs on the server. */
export function collectAnswers() {
  const known = new Map<string, KnownAnswer>();
  const asked = new Map<string, Promise<void>>();
  const answers: Answers = {
    find(key, ask) {
      if (!known.has(key) && !asked.has(key)) {
        const answered = ask().then(
          (value) => known.set(key, { value }),
          (error: Error) => known.set(key, { error }),
        );
        asked.set(
          key,
          answered.then(() => void asked.delete(key)),
        );
      }
      return known.get(key) ?? {};
    },
    use: (key) => known.has(key),
  };
  return {
    answers,
    /** Waits for all questions since the last time. Resolves to whether there were any. */
    async arrive(): Promise<boolean> {
      const isAny = asked.size > 0;
      await Promise.all(asked.values());
      return isAny;
    },
    errors: () => [...known.values()].flatMap(({ error }) => error ?? []),
    values: () =>
      Object.fromEntries(
        [...known].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]])),
      ),
  };
}
