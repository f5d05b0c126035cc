import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** A running server of the storefront. */
export interface StorefrontServer {
  url: string;
  stop(): Promise<void>;
}

/** Builds the storefront and its server into a folder. */
export async function buildServer(folder: string): Promise<void> {
  const vite = [resolve("node_modules/vite/bin/vite.js"), "build", "apps/storefront"];
  const options = { env: { ...process.env, NODE_ENV: "production" } };
  const run = promisify(execFile);
  const to = (name: string) => ["--outDir", join(folder, name), "--logLevel", "error"];
  await run(process.execPath, [...vite, ...to("dist")], options);
  const server = ["--ssr", "src/server/serve.ts", ...to("dist-server")];
  await run(process.execPath, [...vite, ...server], options);
}

/** Starts the server that was built into a folder, with the command of Node or Deno, on any free port. */
export async function startServer(
  folder: string,
  [program, ...args]: [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<StorefrontServer> {
  const child = spawn(program, [...args, join(folder, "dist-server/serve.js")], {
    env: { ...process.env, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { url: await addressOf(child), stop: () => stop(child) };
}

/** The address that a server prints when it is ready. */
async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    const address = /ready at (\S+)/.exec(line)?.[1];
    if (address) return address;
  }
  throw new Error("the server ended before it was ready");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, "exit");
}
