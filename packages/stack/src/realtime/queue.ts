export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs asynchronous work in sequence, in the order of the calls. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // The caller handles the error; the queue continues.
    return mine;
  };
}
