// Makes `npm start` and `npm test` work in a fresh clone: installs missing packages, and takes a few milliseconds if there are
// none. Only Node's own modules may be imported here.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = "20.19";
const WAIT_MS = 300;
/** Time between two signs of life of an installation, in milliseconds. */
const PROGRESS_MS = 15_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns why `npm ci` must run, or null. */
function findLack() {
  const wanted = readPackages("package-lock.json");
  const installed = readPackages(join("node_modules", ".package-lock.json"));
  // npm writes this file last: if it is missing, the installation was not finished.
  if (!installed) return "node_modules is missing";
  // File times mean nothing after a `git clone`, so versions and checksums are compared.
  for (const [path, { version, integrity, optional, link }] of Object.entries(wanted ?? {})) {
    if (path === "") continue;
    const there = installed[path];
    if (there ? there.version !== version || there.integrity !== integrity : !optional && !link) {
      return "node_modules is older than package-lock.json";
    }
  }
  for (const [path, { os, cpu }] of Object.entries(installed)) {
    if (!wanted?.[path]) return "node_modules is older than package-lock.json";
    if (!suits(os, process.platform) || !suits(cpu, process.arch)) {
      return "node_modules was installed on another kind of machine";
    }
  }
  return null;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages;
  } catch {
    return null; // Missing, or truncated by a crash.
  }
}

/** npm's rule for the fields `os` and `cpu`: names, or names with `!` in front. */
function suits(names, name) {
  if (!names) return true;
  if (names.includes(`!${name}`)) return false;
  return names.every((other) => other.startsWith("!")) || names.includes(name);
}

function runNpm() {
  // No install scripts are needed, because the dependencies' programs are separate packages, and skipping them is safer.
  // Standard output is reserved for the command that follows.
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const stdio = ["inherit", process.stderr, process.stderr];
  const npm = process.env.npm_execpath ?? "";
  const child = /npm-cli\.js$/.test(npm)
    ? spawn(process.execPath, [npm, ...args], { cwd: root, stdio })
    : spawn("npm", args, { cwd: root, stdio, shell: process.platform === "win32" });
  const began = Date.now();
  const progress = setInterval(() => {
    console.error(`npm ci has worked for ${Math.round((Date.now() - began) / 1000)} s`);
  }, PROGRESS_MS);
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(`cannot run npm (${error.message}): is it installed?`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  }).finally(() => clearInterval(progress));
}

async function install() {
  const { lockFolder } = await import("../packages/stack/src/db/lock.mjs");
  const folder = join(root, ".souk", "install");
  mkdirSync(folder, { recursive: true });
  let release = await lockFolder(folder);
  if (!release) console.error("another command is installing the packages: waiting for it");
  while (!release) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    release = await lockFolder(folder);
  }
  try {
    const lack = findLack();
    if (!lack) return 0; // The other command installed the packages.
    console.error(
      `${lack}: running npm ci, which installs 1 GB of packages in one to five minutes`,
    );
    return await runNpm();
  } finally {
    await release();
  }
}

function isTooOld() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

if (isTooOld()) {
  console.error(`Node ${process.versions.node} is too old: install Node ${OLDEST_NODE} or newer`);
  process.exitCode = 1;
} else if (findLack()) {
  process.exitCode = await install();
}
