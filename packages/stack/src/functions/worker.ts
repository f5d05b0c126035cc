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
import { excess, type Limits, residentExcess } from "./limits.js";
import type { ProcessReaper } from "./reaper.js";

/** Why a worker's process ended. */
export type Ending = "ended" | "failed to start" | "crashed" | "over its limits";

/** Why a function's process is asked to end; the `detail.reason` of its `beforeunload` event. */
export type Reason = "termination" | "wall_clock" | "early_drop";

/** One process that runs one function. */
export interface Worker {
  readonly executionId: string;
  /** Whether it may take another request: false when it is being killed, or is too old. */
  readonly usable: boolean;
  /** Keeps the worker alive and monitored until the returned function is called. */
  hold(): () => void;
  /** Resolves to the port it listens on, or to null if it ended before it listened. */
  readonly port: Promise<number | null>;
  readonly gone: Promise<Ending>;
  readonly agent: Agent;
  /** Lets the requests in flight finish, then ends the process. */
  retire(reason?: Reason): void;
  /** Ends the process now; resolves when it is gone. */
  end(): Promise<void>;
}

const HEARTBEAT_MS = 500;
const QUIET_CHECKS = 2;
const TERMINATE_MS = 500;
const STDERR_LINES_KEPT = 60;

export interface Run {
  name: string;
  /** The path of Deno's program. */
  program: string;
  config: Config;
  environment: Environment;
  limits: Limits;
  reaper: ProcessReaper;
  log: Log;
}

export function startWorker(run: Run): Worker {
  const { name, environment, limits, reaper, log } = run;
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
    // Detached from the terminal's process group: on Ctrl-C the stack ends its workers itself, in
    // order.
    detached: true,
    windowsHide: true,
  });
  const agent = new Agent({ keepAlive: true });
  const born = Date.now();
  const bootLines: string[] = [];
  let state: "booting" | "listening" | Ending = "booting";
  let held = 0;
  /** Requests since the worker was last idle, and its CPU time in ms at that moment. */
  let taken = 0;
  let cpuWhenIdle = 0;
  let retiring: Reason | undefined;
  let missed = 0;
  let quiet = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  let unused: NodeJS.Timeout | undefined;

  let resolvePort: (port: number | null) => void = () => {};
  const port = new Promise<number | null>((resolve) => {
    resolvePort = resolve;
  });

  const sendCommand = (word: string) => void child.stdin.write(`${word}\n`);
  // Writing to a worker that ended fails; its end is handled where it is reported.
  child.stdin.on("error", () => {});

  function listen(stream: Readable, onLine: (line: string) => void) {
    let request = "";
    createInterface({ input: stream }).on("line", (line) => {
      const at = line.indexOf(token);
      const text = at < 0 ? line : line.slice(0, at);
      if (text !== "" || at < 0) onLine(request ? `${request} ${text}` : text);
      if (at < 0) return;
      const [, word, ...values] = line.slice(at).split(" ");
      if (word === "for") request = values[0] ?? "";
      else handleReport(word, values.map(Number));
    });
  }

  function handleReport(word: string | undefined, [first = 0, second = 0, third = 0]: number[]) {
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
      for (const line of bootLines.splice(0)) log.warn(line);
      resolvePort(first);
    }
  }

  listen(child.stdout, (line) => log.info(line));
  listen(child.stderr, (line) => {
    // Until the function listens, its lines explain why it does not start: they are logged
    // together.
    if (state !== "booting") return log.warn(line);
    bootLines.push(line);
    if (bootLines.length > STDERR_LINES_KEPT) bootLines.shift();
  });

  const bootTimer = setTimeout(() => {
    bootLines.push(`the function did not listen within ${limits.bootMs} ms`);
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

  /** Checks the resources that the process reports. */
  function account(cpuMs: number, bytes: number) {
    if (held === 0) {
      cpuWhenIdle = cpuMs;
      taken = 0;
    }
    const usage = { cpuMs: cpuMs - cpuWhenIdle, requests: taken, bytes };
    const much = state === "listening" && excess(limits, usage);
    if (much) kill(`used over ${much}`);
  }

  function checkHealth() {
    if (missed * HEARTBEAT_MS >= limits.blockedMs) {
      return kill(`kept its event loop blocked for over ${limits.blockedMs} ms`);
    }
    const much = missed > 0 && residentExcess(limits, child.pid);
    if (much) return kill(`used over ${much}`);
    if (state !== "listening") return;
    // Continues after the last answer, because a function may then enter an endless loop.
    quiet = held > 0 ? 0 : quiet + 1;
    if (quiet > QUIET_CHECKS && missed === 0) {
      clearInterval(heartbeat);
      heartbeat = undefined;
      return;
    }
    missed += 1;
    sendCommand("ping");
  }

  function retire(reason: Reason = "termination") {
    retiring ??= reason;
    retireWhenIdle();
  }

  /** An unused process only holds memory, so it is ended: the next request starts another. */
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
    sendCommand(`retire ${retiring}`);
    // Work after an answer has the same time limit as an answer. A blocked event loop never reads
    // the command.
    killTimer ??= setTimeout(() => child.kill("SIGKILL"), limits.idleMs);
    killTimer.unref();
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
      clearTimeout(killTimer);
      agent.destroy();
      if (child.pid !== undefined) reaper.forget(child.pid);
      if (state === "booting" && !retiring) {
        state = "failed to start";
        log.error(`failed to start:\n${explain(failure ? [failure.message] : bootLines)}`);
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
      resolvePort(null);
      resolve(state as Ending);
    }
  });
  if (child.pid !== undefined) reaper.watch(child.pid);

  return {
    executionId,
    get usable() {
      const inFirstHalf = Date.now() - born < limits.wallMs / 2;
      return (
        !retiring && inFirstHalf && (state === "booting" || state === "listening") && !child.killed
      );
    },
    port,
    gone,
    agent,
    hold() {
      clearTimeout(unused);
      held += 1;
      taken += 1;
      quiet = 0;
      heartbeat ??= setInterval(checkHealth, HEARTBEAT_MS);
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
      clearTimeout(killTimer);
      killTimer = setTimeout(() => child.kill("SIGKILL"), TERMINATE_MS);
      await gone;
    },
  };
}
