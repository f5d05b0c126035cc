import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programOf } from "../../../tests/programs.js";

/** Creates a project folder from paths and texts. `supabase/config.toml` has a default. */
export async function makeProject(files: Record<string, string> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "souk-project-")));
  await writeFiles(root, { "supabase/config.toml": "", ...files });
  return root;
}

export async function writeFiles(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

export const removeProject = (root: string) => rm(root, { recursive: true, force: true });

export interface Addresses {
  url: string;
  functions_url: string;
  publishable_key: string;
  secret_key: string;
  anon_key: string;
  service_role_key: string;
  jwt_secret: string;
  db_url: string | null;
}

/** A command that runs or has ended. */
export interface Running {
  process: ChildProcess;
  /** Its output so far. */
  output: { out: string; err: string };
  /** Resolves with the exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  /** Resolves with the JSON of `start --json`; rejects when the command ends without it. */
  ready(): Promise<Addresses>;
  /** Resolves when standard error matches. */
  says(pattern: RegExp): Promise<void>;
}

/** Runs the command line as a user in the folder `root` would. */
export const run = (root: string, ...args: string[]) => runWith({}, root, ...args);

/** The same, with variables of the environment. */
export function runWith(variables: NodeJS.ProcessEnv, root: string, ...args: string[]): Running {
  const env = { ...process.env, ...variables };
  // Without npm's variables: with them, the command would watch this process.
  delete env.npm_lifecycle_event;
  const child = spawn(
    process.execPath,
    ["--liftoff-only", programOf("packages/stack/src/cli.ts"), ...args],
    {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.err += chunk;
  });
  const exited = once(child, "close").then(([code]) => code as number | null);

  async function until(stream: "out" | "err", pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(output[stream]);
      if (found) return found[0];
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`ended without ${pattern}:\n${output.out}${output.err}`);
      }
      const source = stream === "out" ? child.stdout : child.stderr;
      await Promise.race([once(source, "data"), exited]);
    }
  }

  return {
    process: child,
    output,
    exited,
    ready: async () => JSON.parse(await until("out", /^\{.*\}$/m)) as Addresses,
    says: async (pattern) => void (await until("err", pattern)),
  };
}

/** Runs a command to its end. */
export async function runToEnd(root: string, ...args: string[]) {
  const running = run(root, ...args);
  const code = await running.exited;
  return { code, ...running.output };
}
