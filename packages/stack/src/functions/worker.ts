import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { createInterface } from "node:readline";
import type { Config } from "../config.js";
import type { Log } from "../log.js";
import { denoArguments } from "./deno.js";
import type { Environment } from "./environment.js";
import type { Warden } from "./warden.js";

export interface Limits {
  /** How long a request may go without a sign of life from its function. */
  idleMs: number;
  /** How long a function may keep its event loop to itself while requests wait. */
  blockedMs: number;
  /** How long a function may take until it listens. */
  bootMs: number;
  memoryMegabytes: number;
}

/** Idle time and memory are the hosted platform's; blocking stands in for its limit on CPU time. */
export const hostedLimits: Limits = {
  idleMs: 150_000,
  blockedMs: 5_000,
  bootMs: 20_000,
  memoryMegabytes: 256,
};

/** Why a worker's process is gone. */
export type Ending = "ended" | "failed to start" | "crashed" | "over its limits";

/** One process that runs one function. */
export interface Worker {
  /** Whether it may be given another request: not when it is being killed. */
  readonly usable: boolean;
  /** Keeps the worker alive, and watched, until the returned function is called. */
  hold(): () => void;
  /** Resolves to the port it listens on, or to null when it ended before it listened. */
  readonly port: Promise<number | null>;
  readonly gone: Promise<Ending>;
  readonly agent: Agent;
  /** Lets the requests in flight finish, then ends. */
  retire(): void;
  /** Ends now; resolves when the process is gone. */
  end(): Promise<void>;
}

const HEARTBEAT_MS = 500;
const QUIET_BEATS = 2;
const TERMINATE_MS = 500;
const STDERR_LINES_KEPT = 60;

export interface Run {
  name: string;
  /** Deno's program. */
  program: string;
  config: Config;
  environment: Environment;
  limits: Limits;
  warden: Warden;
  log: Log;
}

export function startWorker(run: Run): Worker {
  const { environment, limits, warden, log } = run;
  const token = randomUUID();
  const { memoryMegabytes } = limits;
  const { hidden } = environment;
  const flags = denoArguments(run.config, run.name, { memoryMegabytes, token, hidden });
  const child = spawn(run.program, flags, {
    cwd: run.config.root,
    env: environment.variables,
    stdio: ["pipe", "pipe", "pipe"],
    // Out of the terminal's group: on Ctrl-C the stack ends its workers itself, in order.
    detached: true,
    windowsHide: true,
  });
  const agent = new Agent({ keepAlive: true });
  const lastWords: string[] = [];
  let state: "booting" | "listening" | Ending = "booting";
  let held = 0;
  let retiring = false;
  let missed = 0;
  let quiet = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  let impatience: NodeJS.Timeout | undefined;

  let announce: (port: number | null) => void = () => {};
  const port = new Promise<number | null>((resolve) => {
    announce = resolve;
  });

  const tell = (word: string) => void child.stdin.write(`${word}\n`);
  // A worker that died cannot be told anything; its end is handled where it is reported.
  child.stdin.on("error", () => {});

  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith(token)) return log.info(line);
    const [, word, value] = line.split(" ");
    if (word === "pong") missed = 0;
    if (word === "port" && state === "booting") {
      state = "listening";
      clearTimeout(bootTimer);
      for (const said of lastWords.splice(0)) log.warn(said);
      announce(Number(value));
    }
  });
  createInterface({ input: child.stderr }).on("line", (line) => {
    // Until the function listens its lines are the reason why it does not: told once, together.
    if (state !== "booting") return log.warn(line);
    lastWords.push(line);
    if (lastWords.length > STDERR_LINES_KEPT) lastWords.shift();
  });

  const bootTimer = setTimeout(() => {
    lastWords.push(`it did not listen within ${limits.bootMs} ms`);
    child.kill("SIGKILL");
  }, limits.bootMs);

  function beat() {
    if (missed * HEARTBEAT_MS >= limits.blockedMs) {
      state = "over its limits";
      log.error(`kept its event loop blocked for over ${limits.blockedMs} ms: killed`);
      child.kill("SIGKILL");
      return;
    }
    if (state !== "listening") return;
    // It goes on after the last answer, since a function may fall into its loop behind that.
    quiet = held > 0 ? 0 : quiet + 1;
    if (quiet > QUIET_BEATS && missed === 0) {
      clearInterval(heartbeat);
      heartbeat = undefined;
      return;
    }
    missed += 1;
    tell("ping");
  }

  function retireWhenIdle() {
    if (!retiring || held > 0) return;
    if (state === "booting") {
      child.kill("SIGKILL");
      return;
    }
    tell("retire");
    // Work behind an answer has as long as an answer; a blocked event loop never hears the word.
    impatience ??= setTimeout(() => child.kill("SIGKILL"), limits.idleMs);
    impatience.unref();
  }

  const gone = new Promise<Ending>((resolve) => {
    let failure: Error | undefined;
    child.on("error", (error) => {
      failure = error;
      if (child.pid === undefined) finish(null, null);
    });
    child.on("close", finish);

    function finish(code: number | null, signal: NodeJS.Signals | null) {
      clearTimeout(bootTimer);
      clearInterval(heartbeat);
      clearTimeout(impatience);
      agent.destroy();
      if (child.pid !== undefined) warden.forget(child.pid);
      if (state === "booting" && !retiring) {
        state = "failed to start";
        log.error(`failed to start:\n${failure?.message ?? lastWords.join("\n")}`);
      } else if (state === "listening" && !retiring) {
        // V8 aborts the process when the heap is full; a thrown error ends it with code 1.
        state = signal === null ? "crashed" : "over its limits";
        log.error(
          signal === null
            ? `crashed with code ${code}; the next request starts it again`
            : `was ended by ${signal}, most likely over its ${memoryMegabytes} MB of memory`,
        );
      } else if (state !== "over its limits") {
        state = "ended";
      }
      announce(null);
      resolve(state as Ending);
    }
  });
  if (child.pid !== undefined) warden.watch(child.pid);

  return {
    get usable() {
      return (state === "booting" || state === "listening") && !child.killed;
    },
    port,
    gone,
    agent,
    hold() {
      held += 1;
      quiet = 0;
      heartbeat ??= setInterval(beat, HEARTBEAT_MS);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        held -= 1;
        retireWhenIdle();
      };
    },
    retire() {
      retiring = true;
      retireWhenIdle();
    },
    async end() {
      retiring = true;
      child.kill("SIGTERM");
      clearTimeout(impatience);
      impatience = setTimeout(() => child.kill("SIGKILL"), TERMINATE_MS);
      await gone;
    },
  };
}
