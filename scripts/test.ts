// Runs the tests: each file once, on the server that suits it, and each failed file once more, alone. The tests of
// packages/stack run if something that they use has changed since they passed, and always with `--all`.
// `--server pglite` and `--server embedded` run all of them on one kind of server, `--browser` runs the browser tests in
// Chromium, `--upgrade` runs tests of tenancy, orders and analytics on databases of the first release that were migrated,
// `--everything` runs both beside the others, and `--slowest` prints the slowest files of the last run. Other arguments are
// passed to vitest: names of files or folders, or options.
import { spawn } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FileReport, Report } from "../tests/reporter.js";
import { chooseServers } from "../tests/servers.js";
import { checksumOfStack, havePassed, notePassed, stackTests } from "./stack-tests.js";

/** Maximum number of files that fail in the run and pass alone; more fail the run. */
const MAX_FLAKY = 3;

const FOLDER = join(".souk", "tests");
/** The report of the last complete run, for `npm run test:slow`. */
const LAST = join(FOLDER, "last.json");
const SLOWEST = 20;

/**
 * Runs vitest, and resolves with its exit code and its report; null if it ended without one. Errors
 * at the end of a
 * stack, such as a secret in its log, are in the report's errors.
 */
async function runVitest(path: string, args: string[]) {
  const errors = `${path}.errors`;
  await Promise.all([path, errors].map((file) => rm(file, { force: true })));
  const child = spawn(
    process.execPath,
    [
      ...["node_modules/vitest/vitest.mjs", "run", "--reporter=default"],
      ...["--reporter=tests/reporter.ts", ...args],
    ],
    {
      stdio: "inherit",
      env: { ...process.env, SOUK_TEST_REPORT: path, SOUK_TEST_ERRORS: errors },
    },
  );
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
  const report = await readReport(path);
  const failedEnd = await readFile(errors, "utf8").catch(() => null);
  if (report && failedEnd !== null) report.errors.push(failedEnd);
  return { code, report };
}

async function readReport(path: string): Promise<Report | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  return text === null ? null : JSON.parse(text);
}

/**
 * Runs failed files once more, each alone. Resolves with those that passed, and those that failed
 * again.
 */
async function runAgain(failed: FileReport[]) {
  const flaky: FileReport[] = [];
  const broken: FileReport[] = [];
  for (const failure of failed) {
    console.log(`\n${failure.file} failed: running it once more, alone`);
    const alone = ["--project", failure.project, failure.file];
    const { code } = await runVitest(join(FOLDER, "again.json"), alone);
    (code === 0 ? flaky : broken).push(failure);
  }
  return { flaky, broken };
}

function printLines(of: string, files: FileReport[]): void {
  for (const { file, failures } of files) {
    for (const { name, error } of failures) console.log(`${of}: ${file} > ${name}: ${error}`);
  }
}

/** Prints seconds of all workers, whose sum is more than the duration of the run. */
function printSeconds(files: FileReport[], nameOf: (file: FileReport) => string): void {
  const sums = new Map<string, number>();
  for (const file of files) {
    sums.set(nameOf(file), (sums.get(nameOf(file)) ?? 0) + file.seconds);
  }
  for (const [name, seconds] of [...sums].sort(([, one], [, other]) => other - one)) {
    console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`);
  }
}

const folderOf = ({ file, project }: FileReport) =>
  `${file.split(/[\\/]/).slice(0, -1).join("/")} (${project})`;

async function runTests(args: string[]): Promise<number> {
  const begin = performance.now();
  const run = process.env.SOUK_TEST_RUN;
  const stack = run === undefined || run === "everything" ? leaveOutStack(args) : null;
  const groups = await chooseServers();
  for (const { label } of groups) console.log(label);
  if (process.env.SOUK_TEST_WITHOUT_STACK) console.log(LEFT_OUT);
  await mkdir(FOLDER, { recursive: true });
  const { code, report } = await runVitest(LAST, args);
  if (report === null) return code || 1;

  const { flaky, broken } = await runAgain(report.files.filter(({ failures }) => failures.length));
  console.log("\nSeconds of the workers, per folder:");
  printSeconds(report.files, folderOf);
  printLines("flaky", flaky);
  printLines("FAILED", broken);
  for (const error of report.errors) console.log(`FAILED outside of any test: ${error}`);
  if (flaky.length > MAX_FLAKY) {
    console.log(`FAILED: ${flaky.length} flaky files, at most ${MAX_FLAKY} are allowed`);
  }
  const outside = report.errors.length > 0 || (code !== 0 && flaky.length + broken.length === 0);

  const count = (of: (file: FileReport) => number) =>
    report.files.reduce((sum, file) => sum + of(file), 0);
  const failed = broken.reduce((sum, { failures }) => sum + failures.length, 0);
  const passed = count((file) => file.passed) + flaky.reduce((n, f) => n + f.failures.length, 0);
  const seconds = Math.round((performance.now() - begin) / 1000);
  console.log(`${report.files.length} files in ${seconds} s; flaky files: ${flaky.length}`);
  console.log(
    `tests: ${passed} passed, ${failed} failed, ${count((file) => file.skipped)} skipped`,
  );
  const hasStack = groups.some(({ name }) => name === "deno-newest");
  if (stack && hasStack && !args.some(isOption) && passedStack(report)) notePassed(stack);
  if (process.env.SOUK_TEST_WITHOUT_STACK) console.log(LEFT_OUT);
  return broken.length > 0 || outside || flaky.length > MAX_FLAKY ? 1 : 0;
}

const isOption = (argument: string) => argument.startsWith("-");

const LEFT_OUT =
  "LEFT OUT: the tests of packages/stack, because nothing that they use has changed since they passed " +
  "(packages/stack/tested.sha256). `npm test -- --all` or SOUK_TEST_ALL=1 runs them";

/** Variables with which all tests run, on servers other than usual. */
const OTHERWISE = ["DATABASE_URL", "SOUK_TEST_ALL", "SOUK_TEST_AUTH", "SOUK_TEST_SERVER"];

/**
 * Leaves the tests of packages/stack out of a run of all tests if they have passed with the same files. Returns the
 * checksum of the files; null if it is unknown, so that they run.
 */
function leaveOutStack(args: string[]): string | null {
  try {
    const checksum = checksumOfStack();
    const asUsual = args.length === 0 && !OTHERWISE.some((name) => process.env[name]);
    if (asUsual && havePassed(checksum)) process.env.SOUK_TEST_WITHOUT_STACK = "1";
    return checksum;
  } catch (error) {
    console.log(`the tests of packages/stack run: ${(error as Error).message}`);
    return null;
  }
}

/** Whether each test file of packages/stack ran and passed. */
function passedStack({ files, errors }: Report): boolean {
  const passed = files.filter(({ failures }) => failures.length === 0);
  const names = new Set(passed.map(({ file }) => file.replaceAll("\\", "/")));
  const hasFailed = passed.length < files.length || errors.length > 0;
  return !hasFailed && stackTests().every((file) => names.has(file));
}

/** Prints the slowest files of the last run. */
async function printSlowest(): Promise<number> {
  const report = await readReport(LAST);
  if (report === null) {
    console.error("there is no report of a run: start one with `npm test`");
    return 1;
  }
  const files = report.files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  printSeconds(files, ({ file, project }) => `${file} (${project})`);
  return 0;
}

/** The runs that SOUK_TEST_RUN of tests/servers.ts names, by their options. */
const RUNS: Record<string, string> = {
  "--browser": "pages",
  "--upgrade": "upgrade",
  "--everything": "everything",
};

const given = process.argv.slice(2);
const args = given.filter((argument) => argument !== "--all");
if (args.length < given.length) process.env.SOUK_TEST_ALL = "1";
const [option = "", ...rest] = args;
if (option === "--slowest") process.exitCode = await printSlowest();
else if (option === "--server") {
  process.env.SOUK_TEST_SERVER = rest[0];
  process.exitCode = await runTests(rest.slice(1));
} else if (RUNS[option]) {
  process.env.SOUK_TEST_RUN = RUNS[option];
  process.exitCode = await runTests(rest);
} else process.exitCode = await runTests(args);
