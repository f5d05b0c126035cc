export interface Limits {
  /** Maximum time in which a function sends nothing during a request, in ms. */
  idleMs: number;
  /** CPU time that a function may use per request, in ms. */
  cpuMs: number;
  /** Maximum time in which a function blocks its event loop while requests wait, in ms. */
  blockedMs: number;
  /** Lifetime of a process, in ms. It takes new requests only in the first half. */
  wallMs: number;
  /**
   * Time for which an unused process is kept, in ms: longer than the minute between runs of a cron
   * job.
   */
  unusedMs: number;
  /** Maximum time until a function listens, in ms. */
  bootMs: number;
  memoryMegabytes: number;
}

/**
 * The limits of the hosted platform, except `bootMs`, `blockedMs` (a blocked process cannot
 * report its memory) and `unusedMs` (the platform ends idle processes when it needs memory).
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
/**
 * Maximum resident memory of a process, as a multiple of its limit: it includes Deno itself and
 * garbage.
 */
const RESIDENT_PER_LIMIT = 3;

/** The resources that a process has used. */
export interface Usage {
  cpuMs: number;
  /** The number of requests that used the CPU time. */
  requests: number;
  /** Heap and buffers, in bytes. */
  bytes: number;
}

/** Returns the limit that a process exceeds, for a message; null if none. */
export function excess(limits: Limits, { cpuMs, requests, bytes }: Usage): string | null {
  if (cpuMs > limits.cpuMs * Math.max(requests, 1)) return `${limits.cpuMs} ms of CPU time`;
  if (bytes > limits.memoryMegabytes * MEGABYTE) return `${limits.memoryMegabytes} MB of memory`;
  return null;
}

/** The same for a process that does not report its memory, by what it has in memory. */
export function residentExcess({ memoryMegabytes }: Limits, residentBytes: number): string | null {
  const allowed = memoryMegabytes * MEGABYTE * RESIDENT_PER_LIMIT;
  return residentBytes > allowed ? `${memoryMegabytes} MB of memory` : null;
}
