import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait for the clock more than they work: for a chaos to settle, or for the next minute's limits. */
const WAITING = /\/tests\/(limits|chaos)\.test\.ts$/;

/** How many files are begun between two of them, so that somebody works while they wait. */
const APART = 8;

/** Begins with those who wait: as the last ones, which short files are in a fresh clone, all would wait for them. */
export default class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId));
    const order = sorted.filter((file) => !waiting.includes(file));
    for (const [i, file] of waiting.entries()) order.splice(i * APART, 0, file);
    return order;
  }
}
