import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import type { Config } from "../config.js";
import type { Log } from "../log.js";
import { explain } from "./advice.js";
import { denoArguments } from "./deno.js";
import type { Environment } from "./environment.js";
import { Health } from "./health.js";
import type { Limits } from "./limits.js";
import { readOutput } from "./output.js";
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

/** Starts a process that runs a function. */
export function startWorker(run: Run): Worker {
  return new FunctionWorker(run);
}

class FunctionWorker implements Worker {
  readonly executionId = randomUUID();
  readonly agent = new Agent({ keepAlive: true });
  readonly port: Promise<number | null>;
  readonly gone: Promise<Ending>;
  readonly #run: Run;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #health: Health;
  readonly #born = Date.now();
  /** The last lines before the function listened; they explain why it does not start. */
  readonly #bootLines: string[] = [];
  readonly #bootTimer: NodeJS.Timeout;
  readonly #wallTimer: NodeJS.Timeout;
  #killTimer: NodeJS.Timeout | undefined;
  #unusedTimer: NodeJS.Timeout | undefined;
  #state: "booting" | "listening" | Ending = "booting";
  /** Requests in flight. */
  #held = 0;
  #retiring: Reason | undefined;
  #resolvePort: (port: number | null) => void = () => {};

  constructor(run: Run) {
    this.#run = run;
    this.port = new Promise((resolve) => {
      this.#resolvePort = resolve;
    });
    const token = randomUUID();
    this.#child = spawnFunction(run, this.executionId, token);
    this.#health = this.#monitor();
    this.#readLines(token);
    this.gone = this.#waitForEnd();
    const { bootMs, wallMs } = run.limits;
    this.#bootTimer = setTimeout(() => {
      this.#bootLines.push(`the function did not listen within ${bootMs} ms`);
      this.#child.kill("SIGKILL");
    }, bootMs);
    this.#wallTimer = setTimeout(() => {
      if (this.#held > 0) this.#kill(`reached its wall clock limit of ${wallMs / 1000} s`);
      else this.retire("wall_clock");
    }, wallMs);
    this.#wallTimer.unref();
  }

  get usable(): boolean {
    const inFirstHalf = Date.now() - this.#born < this.#run.limits.wallMs / 2;
    const isUp = this.#state === "booting" || this.#state === "listening";
    return !this.#retiring && inFirstHalf && isUp && !this.#child.killed;
  }

  hold(): () => void {
    clearTimeout(this.#unusedTimer);
    this.#held += 1;
    this.#health.countRequest();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#held -= 1;
      this.#retireWhenIdle();
    };
  }

  retire(reason: Reason = "termination"): void {
    this.#retiring ??= reason;
    this.#retireWhenIdle();
  }

  async end(): Promise<void> {
    this.#retiring = "termination";
    this.#child.kill("SIGTERM");
    clearTimeout(this.#killTimer);
    this.#killTimer = setTimeout(() => this.#child.kill("SIGKILL"), TERMINATE_MS);
    await this.gone;
  }

  #monitor(): Health {
    const monitored = {
      pid: this.#child.pid,
      isListening: () => this.#state === "listening",
      isHeld: () => this.#held > 0,
      ping: () => this.#send("ping"),
      kill: (why: string) => this.#kill(why),
    };
    return new Health(monitored, this.#run.limits);
  }

  #readLines(token: string): void {
    const { log } = this.#run;
    const { stdout, stderr } = this.#child;
    const handleReport = (word: string, [first = 0, second = 0]: number[]) => {
      if (word === "pong") void this.#health.handleReport(first);
      if (word === "port" && this.#state === "booting") this.#handleListening(first, second);
    };
    readOutput(stdout, token, (line) => log.info(line), handleReport);
    readOutput(
      stderr,
      token,
      (line) => {
        if (this.#state !== "booting") return log.warn(line);
        this.#bootLines.push(line);
        if (this.#bootLines.length > STDERR_LINES_KEPT) this.#bootLines.shift();
      },
      handleReport,
    );
  }

  #handleListening(port: number, bytes: number): void {
    this.#state = "listening";
    void this.#health.handleStart(bytes);
    clearTimeout(this.#bootTimer);
    if (this.#held === 0) this.#waitForUse();
    for (const line of this.#bootLines.splice(0)) this.#run.log.warn(line);
    this.#resolvePort(port);
  }

  #send(command: string): void {
    this.#child.stdin.write(`${command}\n`);
  }

  #kill(why: string): void {
    if (this.#state === "over its limits") return;
    this.#state = "over its limits";
    this.#run.log.error(`${why}: killed`);
    this.#child.kill("SIGKILL");
  }

  /** An unused process only holds memory, so it is ended: the next request starts another. */
  #waitForUse(): void {
    clearTimeout(this.#unusedTimer);
    this.#unusedTimer = setTimeout(() => this.retire("early_drop"), this.#run.limits.unusedMs);
    this.#unusedTimer.unref();
  }

  #retireWhenIdle() {
    if (this.#held > 0) return;
    if (!this.#retiring) return this.#waitForUse();
    if (this.#state === "booting") {
      this.#child.kill("SIGKILL");
      return;
    }
    this.#send(`retire ${this.#retiring}`);
    // Work after an answer has the same time limit as an answer. A blocked event loop never reads
    // the command.
    this.#killTimer ??= setTimeout(() => this.#child.kill("SIGKILL"), this.#run.limits.idleMs);
    this.#killTimer.unref();
  }

  #waitForEnd(): Promise<Ending> {
    const child = this.#child;
    if (child.pid !== undefined) this.#run.reaper.watch(child.pid);
    return new Promise((resolve) => {
      let failure: Error | undefined;
      child.on("error", (error) => {
        failure = error;
        if (child.pid === undefined) resolve(this.#handleEnd(null, null, failure));
      });
      child.on("close", (code, signal) => resolve(this.#handleEnd(code, signal, failure)));
    });
  }

  /** Frees what the worker holds, and logs an end that nobody asked for. */
  #handleEnd(code: number | null, signal: NodeJS.Signals | null, failure?: Error): Ending {
    for (const timer of [this.#bootTimer, this.#wallTimer, this.#unusedTimer, this.#killTimer]) {
      clearTimeout(timer);
    }
    this.#health.stop();
    this.agent.destroy();
    if (this.#child.pid !== undefined) this.#run.reaper.forget(this.#child.pid);
    const ending = this.#endingOf(code, signal, failure);
    this.#state = ending;
    this.#resolvePort(null);
    return ending;
  }

  #endingOf(code: number | null, signal: NodeJS.Signals | null, failure?: Error): Ending {
    const { log, limits } = this.#run;
    if (this.#state === "over its limits") return this.#state;
    if (this.#retiring) return "ended";
    if (this.#state === "booting") {
      log.error(`failed to start:\n${explain(failure ? [failure.message] : this.#bootLines)}`);
      return "failed to start";
    }
    // V8 aborts the process when the heap is full; a thrown error ends it with code 1.
    if (signal === null) {
      log.error(`crashed with code ${code}; the next request starts it again`);
      return "crashed";
    }
    log.error(
      `was ended by ${signal}, most likely over its ${limits.memoryMegabytes} MB of memory`,
    );
    return "over its limits";
  }
}

function spawnFunction(run: Run, executionId: string, token: string) {
  const { name, environment, limits } = run;
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
  // Writing to a process that ended fails; its end is handled where it is reported.
  child.stdin.on("error", () => {});
  return child;
}
