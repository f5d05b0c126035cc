import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take 20 s or more, the slowest first, as `npm run test:slow` prints them. */
const SLOW = [
  "tests/browser/storefront",
  "tests/browser/console",
  "tests/browser/storefront-server",
  "tests/browser/documentation",
  "tests/tenancy/isolation",
  "tests/plans/plans",
  "tests/tenancy/roles",
  "tests/imports/imports",
  "tests/exports/crashes",
  "tests/docs/docs",
  "tests/docs/guides",
  "tests/tenancy/isolation-addresses",
  "tests/exports/schedules",
  "packages/stack/tests/jobs",
  "tests/orders/imports",
  "tests/analytics/sales",
  "tests/media/metadata",
  "packages/stack/tests/server",
  "packages/stack/tests/db-crash",
  "tests/http/sizes",
  "tests/webhooks/chaos",
  "tests/exports/asking",
  "packages/stack/tests/cli",
  "packages/stack/tests/restart",
  "tests/http/limits",
  "tests/orders/payments",
  "tests/orders/orders",
  "tests/analytics/rollups",
  "tests/placement/events",
  "tests/stack/restart",
  "tests/embeddings/providers",
].map((name) => `/${name}.test.ts`);

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOW.findIndex((name) => moduleId.endsWith(name));
  return rank === -1 ? SLOW.length : rank;
}

/**
 * Runs the files of a project after each other, because another project needs new processes, and in each the slow files
 * first, so that no worker runs a slow file alone at the end. The project with the most files is the last.
 */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const counts = new Map<string, number>();
    for (const { project } of sorted) counts.set(project.name, (counts.get(project.name) ?? 0) + 1);
    const count = ({ project }: TestSpecification) => counts.get(project.name) ?? 0;
    const byProject = (one: TestSpecification, other: TestSpecification) =>
      count(one) - count(other) || one.project.name.localeCompare(other.project.name);
    return sorted.sort((one, other) => byProject(one, other) || rankOf(one) - rankOf(other));
  }
}
