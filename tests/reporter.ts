import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** The result of one file. */
export interface FileReport {
  /** Path relative to the root of the repository. */
  file: string;
  /** The group of files that use the same kind of server. */
  project: string;
  /** Seconds from the start of its process to the end of its last hook. */
  seconds: number;
  passed: number;
  skipped: number;
  /** Names of failed tests with their first errors. A file that cannot be run counts as one failure. */
  failures: { name: string; error: string }[];
}

export interface Report {
  files: FileReport[];
  /** First lines of the errors outside any file. */
  errors: string[];
}

/** Writes the report of a run to the file that SOUK_TEST_REPORT names. */
export default class FileReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
    const path = process.env.SOUK_TEST_REPORT;
    if (!path) return;
    const report: Report = {
      files: modules.map(reportOf),
      errors: errors.map(({ message }) => firstLine(message)),
    };
    await writeFile(path, JSON.stringify(report));
  }
}

function reportOf(module: TestModule): FileReport {
  const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  const tests = [...module.children.allTests()];
  const failures = tests
    .filter((test) => test.result().state === "failed")
    .map((test) => ({
      name: test.fullName,
      error: firstLine(test.result().errors?.[0]?.message),
    }));
  const suites = [module, ...module.children.allSuites()];
  for (const suite of suites) {
    const [error] = suite.errors();
    const name = suite.type === "module" ? "the file" : suite.fullName;
    if (error) failures.push({ name, error: firstLine(error.message) });
  }
  // A file can also fail without an error, for example when its process ends.
  if (failures.length === 0 && module.state() === "failed") {
    failures.push({ name: "the file", error: "it did not run to its end" });
  }
  return {
    file: relative(process.cwd(), module.moduleId),
    project: module.project.name,
    seconds: (prepareDuration + setupDuration + collectDuration + duration) / 1000,
    passed: tests.filter((test) => test.result().state === "passed").length,
    skipped: tests.filter((test) => test.result().state === "skipped").length,
    failures,
  };
}

const firstLine = (message = "") => message.split("\n", 1)[0] as string;
