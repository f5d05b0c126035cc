import pidusage from "pidusage";
import { excess, type Limits, residentExcess } from "./limits.js";

const HEARTBEAT_MS = 500;
const QUIET_CHECKS = 2;

/** The process that is checked. */
export interface Monitored {
  readonly pid: number | undefined;
  isListening(): boolean;
  /** Whether requests are in flight. */
  isHeld(): boolean;
  /** Asks the process for a report of its memory. */
  ping(): void;
  kill(why: string): void;
}

/** Checks what a process uses, and that its event loop responds, and kills it when it exceeds a limit. */
export class Health {
  readonly #process: Monitored;
  readonly #limits: Limits;
  /** Requests since the process was last idle, and its CPU time in ms at that moment. */
  #requests = 0;
  #cpuWhenIdle = 0;
  /** Pings since the last report. */
  #missed = 0;
  /** Checks since the last request ended. */
  #quiet = 0;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(process: Monitored, limits: Limits) {
    this.#process = process;
    this.#limits = limits;
  }

  /** Counts a request, and begins to check the process. */
  countRequest(): void {
    this.#requests += 1;
    this.#quiet = 0;
    this.#heartbeat ??= setInterval(() => this.#check(), HEARTBEAT_MS);
  }

  /** The first report: CPU time until the process listens is not that of a request. */
  async handleStart(bytes: number): Promise<void> {
    const used = await measure(this.#process.pid);
    if (!used) return;
    this.#cpuWhenIdle = used.cpuMs;
    this.#account(used.cpuMs, bytes);
  }

  async handleReport(bytes: number): Promise<void> {
    this.#missed = 0;
    const used = await measure(this.#process.pid);
    if (used) this.#account(used.cpuMs, bytes);
  }

  stop(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #account(cpuMs: number, bytes: number): void {
    if (!this.#process.isHeld()) {
      this.#cpuWhenIdle = cpuMs;
      this.#requests = 0;
    }
    const usage = { cpuMs: cpuMs - this.#cpuWhenIdle, requests: this.#requests, bytes };
    const much = this.#process.isListening() && excess(this.#limits, usage);
    if (much) this.#process.kill(`used over ${much}`);
  }

  #check() {
    const { blockedMs } = this.#limits;
    if (this.#missed * HEARTBEAT_MS >= blockedMs) {
      return this.#process.kill(`kept its event loop blocked for over ${blockedMs} ms`);
    }
    if (this.#missed > 0) void this.#checkResident();
    if (!this.#process.isListening()) return;
    // Continues after the last answer, because a function may then enter an endless loop.
    this.#quiet = this.#process.isHeld() ? 0 : this.#quiet + 1;
    if (this.#quiet > QUIET_CHECKS && this.#missed === 0) return this.stop();
    this.#missed += 1;
    this.#process.ping();
  }

  /** Checks the memory of a process that does not report. */
  async #checkResident(): Promise<void> {
    const used = await measure(this.#process.pid);
    const much = used && residentExcess(this.#limits, used.residentBytes);
    if (much) this.#process.kill(`used over ${much}`);
  }
}

/**
 * What the operating system counts for a process; null if it has ended. Deno 2.1.4 cannot say how much CPU time it has
 * used.
 */
async function measure(pid: number | undefined) {
  if (pid === undefined) return null;
  try {
    const { ctime, memory } = await pidusage(pid);
    return { cpuMs: ctime, residentBytes: memory };
  } catch {
    return null;
  }
}
