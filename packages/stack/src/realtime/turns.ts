export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets one piece of asynchronous work run after the other, in the order they came. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {}); // Its caller hears of its failure; the next one runs.
    return mine;
  };
}
