import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take 20 s or more, as `npm run test:slow` prints them. */
const SLOW = [
  "tests/plans/plans",
  "tests/webhooks/chaos",
  "tests/tenancy/isolation",
  "tests/imports/imports",
  "tests/exports/crashes",
  "tests/docs/docs",
  "tests/http/sizes",
  "packages/stack/tests/cli",
  "packages/stack/tests/server",
  "packages/stack/tests/jobs",
  "packages/stack/tests/restart",
  "packages/stack/tests/db-crash",
  "packages/stack/tests/db-command",
];

const isSlow = ({ moduleId }: TestSpecification) =>
  SLOW.some((name) => moduleId.endsWith(`/${name}.test.ts`));

/** Starts the slow files first, so that no worker runs a slow file alone at the end. */
export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
