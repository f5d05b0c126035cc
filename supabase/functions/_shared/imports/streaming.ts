/** A stream of text that is produced only as fast as it is read. `gone` is called if the reader stops. */
export function streamOf(
  texts: () => AsyncGenerator<string>,
  gone: () => void = () => {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const made = texts();
  return new ReadableStream({
    async pull(stream) {
      const { value, done } = await made.next();
      if (done) stream.close();
      else stream.enqueue(encoder.encode(value));
    },
    async cancel() {
      gone();
      await made.return(undefined);
    },
  });
}

/**
 * Passes on `made`, and yields `meanwhile()` whenever nothing was produced for `longest` milliseconds. Proxies between a
 * function and its caller close a silent connection.
 */
export async function* withoutSilence(
  made: AsyncGenerator<string>,
  longest: number,
  meanwhile: () => string,
): AsyncGenerator<string> {
  try {
    for (;;) {
      const next = made.next();
      let step = await firstOf(next, longest);
      for (; step === null; step = await firstOf(next, longest)) yield meanwhile();
      if (step.done) return;
      yield step.value;
    }
  } finally {
    // Not awaited: it may be in the middle of work whose result is no longer needed.
    made.return(undefined).catch(() => {});
  }
}

/** The result of some work, or null if it takes longer than `longest` milliseconds. */
async function firstOf<T>(work: Promise<T>, longest: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, longest, null);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
