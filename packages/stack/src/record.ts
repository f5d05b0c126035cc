import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DATA_FOLDER } from "./places.js";
import type { Stack } from "./start.js";

// Data for `status` that it cannot request from the stack: each running stack writes it to a file
// named after its port.

const folderOf = (root: string) => resolve(root, DATA_FOLDER, "stacks");

/** The addresses other than the gateway's. */
export type Beside = Pick<
  Stack,
  "dbUrl" | "mailpitUrl" | "smtpUrl" | "consoleUrl" | "storefrontUrl"
>;

/**
 * Records the addresses of a running stack, readable by this user only. Returns a function that
 * removes the record.
 */
export async function recordStack(root: string, stack: Stack): Promise<() => Promise<void>> {
  const { url, dbUrl, mailpitUrl, smtpUrl, consoleUrl, storefrontUrl } = stack;
  const folder = folderOf(root);
  const file = join(folder, `${new URL(url).port}.json`);
  await mkdir(folder, { recursive: true });
  // A file from a killed stack may have other permissions.
  await rm(file, { force: true });
  const noted = { pid: process.pid, dbUrl, mailpitUrl, smtpUrl, consoleUrl, storefrontUrl };
  await writeFile(file, JSON.stringify(noted), { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** The record of the stack on a port; null if no running process has one. */
export async function findRecord(root: string, port: number | string): Promise<Beside | null> {
  const text = await readFile(join(folderOf(root), `${port}.json`), "utf8").catch(() => null);
  if (text === null) return null;
  const { pid, ...beside } = JSON.parse(text) as Beside & { pid: number };
  try {
    process.kill(pid, 0);
  } catch {
    return null;
  }
  return beside;
}

/** The ports of the folder's running stacks. */
export async function recordedPorts(root: string): Promise<number[]> {
  const files = await readdir(folderOf(root)).catch(() => []);
  const ports = files.map((file) => Number.parseInt(file, 10));
  const notes = await Promise.all(ports.map((port) => findRecord(root, port)));
  return ports.filter((_, index) => notes[index]);
}
