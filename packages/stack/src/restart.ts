import { createHash } from "node:crypto";
import { watch } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "./log.js";

// The settings and the migrations are read at the start alone. A line tells when they change while the stack runs. The
// functions are loaded again by themselves.

/** An editor writes a file in several steps. */
const QUIET_MS = 200;

const watched = [
  {
    folder: "supabase",
    isMeant: (name: string) => name === "config.toml",
    advice: "supabase/config.toml has changed: start the stack again to have it read",
  },
  {
    folder: "supabase/migrations",
    isMeant: (name: string) => name.endsWith(".sql"),
    advice:
      "supabase/migrations have changed: start the stack again to apply what is new; " +
      "`npm run reset` makes the database anew when one that was applied has changed",
  },
];

/** Tells of each change that takes a restart, in one line. Answers with what ends that. */
export async function watchForRestart(root: string, log: Log): Promise<() => Promise<void>> {
  const endings = await Promise.all(
    watched.map(({ folder, isMeant, advice }) =>
      watchTexts(join(root, folder), isMeant, () => log.warn(advice)),
    ),
  );
  return async () => {
    for (const end of endings) end();
  };
}

async function watchTexts(
  folder: string,
  isMeant: (name: string) => boolean,
  tell: () => void,
): Promise<() => void> {
  let known = await digest(folder, isMeant);
  if (known === null) return () => {};
  const atStart = known;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const now = await digest(folder, isMeant);
    if (now === known) return;
    known = now;
    if (now !== atStart) tell();
  };
  const watcher = watch(folder, { persistent: false }, (_, name) => {
    if (name !== null && !isMeant(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), QUIET_MS).unref();
  });
  watcher.on("error", () => watcher.close()); // The folder is gone: its files are no longer told of.
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** One text for all that the files say; null where there is no folder. */
async function digest(folder: string, isMeant: (name: string) => boolean): Promise<string | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const hash = createHash("sha256");
  for (const name of names.filter(isMeant).sort()) {
    const text = await readFile(join(folder, name), "utf8").catch(() => ""); // It may go meanwhile.
    hash.update(JSON.stringify([name, text]));
  }
  return hash.digest("base64");
}
