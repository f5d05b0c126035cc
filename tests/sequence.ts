import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait for the clock more than they work: for a chaos to settle, or for the next minute's limits. */
const WAITING = /\/tests\/(webhooks\/chaos|http\/limits)\.test\.ts$/;

/** How many files are begun between two of them, so that somebody works while they wait. */
const APART = 8;

/**
 * Begins with those who wait: as the last ones, which short files are in a fresh clone, all would wait
 * for them. The projects go side by side: one shares a stack, which is busy with two files at once, the
 * other's files bring their own.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId));
    const order = sideBySide(sorted.filter((file) => !waiting.includes(file)));
    for (const [i, file] of waiting.entries()) order.splice(i * APART, 0, file);
    return order;
  }
}

/** Spreads each project's files over the whole, in their order. */
function sideBySide(files: TestSpecification[]): TestSpecification[] {
  const counts = new Map<string, number>();
  const place = ({ project: { name } }: TestSpecification) => {
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    return before / files.filter(({ project }) => project.name === name).length;
  };
  return files
    .map((file) => ({ file, at: place(file) }))
    .sort((one, other) => one.at - other.at)
    .map(({ file }) => file);
}
