import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { makeProject, removeProject, writeFiles } from "./project.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const HIDDEN = "node_modules/.package-lock.json";

let root: string;

const lock = (version: string) => ({
  "": { name: "clone" },
  "node_modules/left": { version, integrity: `sha512-${version}` },
  "node_modules/elsewhere": { version: "1.0.0", optional: true, os: ["nowhere"] },
  "node_modules/@clone/a": { resolved: "packages/a", link: true },
  "packages/a": { name: "@clone/a", version: "0.0.1" },
});

/**
 * The part of an installation that npm records: without the root, and only packages for this
 * machine.
 */
const installed = (version: string, more: object = {}) => {
  const { "": _root, "node_modules/elsewhere": _elsewhere, ...rest } = lock(version);
  return JSON.stringify({ packages: { ...rest, ...more } });
};

/**
 * Replaces npm: records that it ran, waits for the file `go`, and installs what the lock file says.
 */
const npm = (code = 0) => `
  const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require("node:fs");
  appendFileSync("ran", process.argv.slice(2).join(" ") + "\\n");
  console.log("a line of npm's own");
  const waiting = setInterval(() => {
    if (!existsSync("go")) return;
    clearInterval(waiting);
    if (${code}) process.exit(${code});
    mkdirSync("node_modules", { recursive: true });
    writeFileSync("${HIDDEN}", ${JSON.stringify(installed("2.0.0"))});
  }, 10);
`;

beforeEach(async () => {
  root = await makeProject({
    "npm-cli.js": npm(),
    go: "",
    "package-lock.json": JSON.stringify({ packages: lock("2.0.0") }),
  });
  for (const file of ["scripts/install.mjs", "packages/stack/src/db/lock.mjs"]) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await copyFile(join(repository, file), join(root, file));
  }
});

afterEach(() => removeProject(root));

async function install(says: (err: string) => void = () => {}) {
  const child = spawn(process.execPath, [join(root, "scripts", "install.mjs")], {
    env: { ...process.env, npm_execpath: join(root, "npm-cli.js") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
    says(err);
  });
  const [code] = await once(child, "close");
  return { code: code as number, out, err };
}

const runs = async () =>
  (await readFile(join(root, "ran"), "utf8").catch(() => "")).split("\n").length - 1;

test("a fresh clone is installed once, and standard error says so", async () => {
  const first = await install();
  expect(first).toMatchObject({ code: 0, out: "" });
  expect(first.err).toMatch(
    /^node_modules is missing: running npm ci, which installs 1 GB of packages in one to five minutes\n/,
  );
  expect(await readFile(join(root, "ran"), "utf8")).toMatch(/^ci --ignore-scripts/);
  expect(await install()).toEqual({ code: 0, out: "", err: "" });
  expect(await runs()).toBe(1);
});

test("two concurrent starts install once", async () => {
  await rm(join(root, "go"));
  const first = install();
  await eventually(async () => expect(await runs()).toBe(1));
  const second = install((err) => {
    if (err.includes("waiting for it")) void writeFiles(root, { go: "" });
  });
  expect([(await first).code, (await second).code]).toEqual([0, 0]);
  expect(await runs()).toBe(1);
});

test("npm's exit code is passed on", async () => {
  await writeFiles(root, { "npm-cli.js": npm(7) });
  expect((await install()).code).toBe(7);
});

test.each([
  ["another version", installed("1.0.0"), "older"],
  ["an extra package", installed("2.0.0", { "node_modules/more": { version: "1.0.0" } }), "older"],
  ["a missing package", JSON.stringify({ packages: {} }), "older"],
  [
    "packages of another machine",
    installed("2.0.0", { "node_modules/elsewhere": { version: "1.0.0", os: ["nowhere"] } }),
    "another kind of machine",
  ],
  ["a truncated lock file", "{", "missing"],
])("node_modules with %s is installed again", async (_name, text, reason) => {
  await writeFiles(root, { [HIDDEN]: text });
  const { code, err } = await install();
  expect(code).toBe(0);
  expect(err.split("\n")[0]).toContain(reason);
  expect(await runs()).toBe(1);
});

test("an old Node is refused in one line", async () => {
  const script = `
    Object.defineProperty(process.versions, "node", { value: "18.19.0" });
    await import(${JSON.stringify(join(root, "scripts", "install.mjs"))});
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  expect(err).toBe("Node 18.19.0 is too old: install Node 20.19 or newer\n");
});
