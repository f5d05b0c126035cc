import { readFileSync } from "node:fs";

export interface Limits {
  /** How long a request may go without a sign of life from its function. */
  idleMs: number;
  /** How much CPU time a function may use per request. */
  cpuMs: number;
  /** How long a function may keep its event loop to itself while requests wait. */
  blockedMs: number;
  /** How long a process lives; for the second half of it, it takes no new request. */
  wallMs: number;
  /** How long a process is kept that nobody asks: longer than from one minute's cron job to the next. */
  unusedMs: number;
  /** How long a function may take until it listens. */
  bootMs: number;
  memoryMegabytes: number;
}

/**
 * The hosted platform's, but for `bootMs`, `blockedMs` (who is blocked cannot tell its CPU time) and
 * `unusedMs`, which the platform chooses as it needs room.
 */
export const hostedLimits: Limits = {
  idleMs: 150_000,
  cpuMs: 2_000,
  blockedMs: 5_000,
  wallMs: 400_000,
  unusedMs: 90_000,
  bootMs: 20_000,
  memoryMegabytes: 256,
};

const MEGABYTE = 2 ** 20;
/** How much of the machine's memory a process may hold, Deno itself and what is not yet tidied up included. */
const RESIDENT_PER_LIMIT = 3;

/** What a process says of itself. */
export interface Usage {
  cpuMs: number;
  /** The requests that the CPU time went into. */
  requests: number;
  /** Bytes of the heap and of buffers. */
  bytes: number;
}

/** What a process has used too much of, if anything. */
export function excess(limits: Limits, { cpuMs, requests, bytes }: Usage): string | null {
  if (cpuMs > limits.cpuMs * Math.max(requests, 1)) return `${limits.cpuMs} ms of CPU time`;
  if (bytes > limits.memoryMegabytes * MEGABYTE) return `${limits.memoryMegabytes} MB of memory`;
  return null;
}

/** Likewise for one that says nothing: what can be seen of its memory from outside, on Linux alone. */
export function silentExcess({ memoryMegabytes }: Limits, pid: number | undefined): string | null {
  if (process.platform !== "linux") return null;
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    const resident = Number(pages) * 4096;
    const allowed = memoryMegabytes * MEGABYTE * RESIDENT_PER_LIMIT;
    return resident > allowed ? `${memoryMegabytes} MB of memory` : null;
  } catch {
    return null; // It has just ended.
  }
}
