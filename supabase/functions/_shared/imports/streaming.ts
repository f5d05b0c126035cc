/** Text as it is made, no sooner than the reader wants it; `gone` is called where it wants no more. */
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
 * What is made, and what is said `meanwhile` each time that nothing came for `longest` milliseconds:
 * proxies between a function and its caller close a connection on which nothing is sent.
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
    // Not waited for: it may be at work on something that nobody wants to know any more.
    made.return(undefined).catch(() => {});
  }
}

/** What some work comes to, or null where it takes longer. */
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
