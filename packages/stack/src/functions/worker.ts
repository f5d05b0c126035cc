import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Config } from "../config.js";
import type { Log } from "../log.js";
import { explain } from "./advice.js";
import { denoArguments } from "./deno.js";
import type { Environment } from "./environment.js";
import { excess, type Limits, silentExcess } from "./limits.js";
import type { Warden } from "./warden.js";

/** Why a worker's process is gone. */
export type Ending = "ended" | "failed to start" | "crashed" | "over its limits";

/** Why a function's process is asked to end, as its `beforeunload` event says it. */
export type Reason = "termination" | "wall_clock" | "early_drop";

/** One process that runs one function. */
export interface Worker {
  readonly executionId: string;
  /** Whether it may be given another request: not when it is being killed, or too old. */
  readonly usable: boolean;
  /** Keeps the worker alive, and watched, until the returned function is called. */
  hold(): () => void;
  /** Resolves to the port it listens on, or to null when it ended before it listened. */
  readonly port: Promise<number | null>;
  readonly gone: Promise<Ending>;
  readonly agent: Agent;
  /** Lets the requests in flight finish, then ends. */
  retire(reason?: Reason): void;
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
  const { name, environment, limits, warden, log } = run;
  const token = randomUUID();
  const executionId = randomUUID();
  const { memoryMegabytes } = limits;
  const { hidden } = environment;
  const flags = denoArguments(run.config, name, { memoryMegabytes, token, hidden });
  const child = spawn(run.program, flags, {
    cwd: run.config.root,
    env: {
      ...environment.variables,
      SB_EXECUTION_ID: executionId,
      DENO_DEPLOYMENT_ID: `${run.config.project_id}_${name}_1`,
    },
    stdio: ["pipe", "pipe", "pipe"],
    // Out of the terminal's group: on Ctrl-C the stack ends its workers itself, in order.
    detached: true,
    windowsHide: true,
  });
  const agent = new Agent({ keepAlive: true });
  const born = Date.now();
  const lastWords: string[] = [];
  let state: "booting" | "listening" | Ending = "booting";
  let held = 0;
  /** Requests since the worker was last idle, and its CPU time then. */
  let taken = 0;
  let cpuWhenIdle = 0;
  let retiring: Reason | undefined;
  let missed = 0;
  let quiet = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  let impatience: NodeJS.Timeout | undefined;
  let unused: NodeJS.Timeout | undefined;

  let announce: (port: number | null) => void = () => {};
  const port = new Promise<number | null>((resolve) => {
    announce = resolve;
  });

  const tell = (word: string) => void child.stdin.write(`${word}\n`);
  // A worker that died cannot be told anything; its end is handled where it is reported.
  child.stdin.on("error", () => {});

  function listen(stream: Readable, hear: (line: string) => void) {
    let request = "";
    createInterface({ input: stream }).on("line", (line) => {
      const at = line.indexOf(token);
      const said = at < 0 ? line : line.slice(0, at);
      if (said !== "" || at < 0) hear(request ? `${request} ${said}` : said);
      if (at < 0) return;
      const [, word, ...values] = line.slice(at).split(" ");
      if (word === "for") request = values[0] ?? "";
      else obey(word, values.map(Number));
    });
  }

  function obey(word: string | undefined, [first = 0, second = 0, third = 0]: number[]) {
    if (word === "pong") {
      missed = 0;
      account(first, second);
    }
    if (word === "port" && state === "booting") {
      state = "listening";
      cpuWhenIdle = second;
      account(second, third);
      clearTimeout(bootTimer);
      if (held === 0) waitForUse();
      for (const line of lastWords.splice(0)) log.warn(line);
      announce(first);
    }
  }

  listen(child.stdout, (line) => log.info(line));
  listen(child.stderr, (line) => {
    // Until the function listens its lines are the reason why it does not: told once, together.
    if (state !== "booting") return log.warn(line);
    lastWords.push(line);
    if (lastWords.length > STDERR_LINES_KEPT) lastWords.shift();
  });

  const bootTimer = setTimeout(() => {
    lastWords.push(`it did not listen within ${limits.bootMs} ms`);
    child.kill("SIGKILL");
  }, limits.bootMs);

  const wallTimer = setTimeout(() => {
    if (held > 0) kill(`reached its wall clock limit of ${limits.wallMs / 1000} s`);
    else retire("wall_clock");
  }, limits.wallMs);
  wallTimer.unref();

  function kill(why: string) {
    state = "over its limits";
    log.error(`${why}: killed`);
    child.kill("SIGKILL");
  }

  /** Looks at what the process says it has used. */
  function account(cpuMs: number, bytes: number) {
    if (held === 0) {
      cpuWhenIdle = cpuMs;
      taken = 0;
    }
    const usage = { cpuMs: cpuMs - cpuWhenIdle, requests: taken, bytes };
    const much = state === "listening" && excess(limits, usage);
    if (much) kill(`used over ${much}`);
  }

  function beat() {
    if (missed * HEARTBEAT_MS >= limits.blockedMs) {
      return kill(`kept its event loop blocked for over ${limits.blockedMs} ms`);
    }
    const much = missed > 0 && silentExcess(limits, child.pid);
    if (much) return kill(`used over ${much}`);
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

  function retire(reason: Reason = "termination") {
    retiring ??= reason;
    retireWhenIdle();
  }

  /** One that nobody asks for a while only holds memory: the next request starts another. */
  function waitForUse() {
    clearTimeout(unused);
    unused = setTimeout(() => retire("early_drop"), limits.unusedMs);
    unused.unref();
  }

  function retireWhenIdle() {
    if (held > 0) return;
    if (!retiring) return waitForUse();
    if (state === "booting") {
      child.kill("SIGKILL");
      return;
    }
    tell(`retire ${retiring}`);
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
      clearTimeout(wallTimer);
      clearTimeout(unused);
      clearInterval(heartbeat);
      clearTimeout(impatience);
      agent.destroy();
      if (child.pid !== undefined) warden.forget(child.pid);
      if (state === "booting" && !retiring) {
        state = "failed to start";
        log.error(`failed to start:\n${explain(failure ? [failure.message] : lastWords)}`);
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
    executionId,
    get usable() {
      const young = Date.now() - born < limits.wallMs / 2;
      return !retiring && young && (state === "booting" || state === "listening") && !child.killed;
    },
    port,
    gone,
    agent,
    hold() {
      clearTimeout(unused);
      held += 1;
      taken += 1;
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
    retire,
    async end() {
      retiring = "termination";
      child.kill("SIGTERM");
      clearTimeout(impatience);
      impatience = setTimeout(() => child.kill("SIGKILL"), TERMINATE_MS);
      await gone;
    },
  };
}
