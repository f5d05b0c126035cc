import { ApiError } from "./errors.ts";

/** The work of one tenant that runs at once in this process, and what waits for it. */
export interface Turns {
  /**
   * Waits for a turn of a tenant, and returns a function that ends it. Errors: RATE_LIMITED after `wait_ms`, or at once if
   * too many wait already.
   */
  begin(tenant: string, options?: { wait_ms?: number }): Promise<() => void>;
}

/** Maximum number of requests of a tenant that wait for a turn. */
const WAITING_AT_MOST = 20;
/** Longest time that a request waits for a turn, in milliseconds. */
const WAIT_MS = 10_000;
/** Longest rest after a turn, in milliseconds. */
const REST_MS = 2_000;
/** Seconds in `Retry-After` for a request that got no turn. */
const RETRY_S = 2;

interface Tenant {
  taken: number;
  waiting: (() => void)[];
}

/**
 * Makes turns of which a tenant has `at_once` at the same time. If turns `rest`, nobody has one for as long as it took, after
 * it. So a tenant that wants all turns at all times gets half of this time, and a caller that reads page after page waits
 * for none.
 */
export function createTurns(at_once: number, { rest }: { rest: boolean }): Turns {
  const tenants = new Map<string, Tenant>();

  function release(name: string, tenant: Tenant): void {
    const next = tenant.waiting.shift();
    if (next) next();
    else if (--tenant.taken === 0) tenants.delete(name);
  }

  function turnOf(name: string, tenant: Tenant): () => void {
    const begun = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const rest_ms = rest ? Math.min(performance.now() - begun, REST_MS) : 0;
      setTimeout(() => release(name, tenant), rest_ms);
    };
  }

  return {
    async begin(name, { wait_ms = WAIT_MS } = {}) {
      const tenant = tenants.get(name) ?? { taken: 0, waiting: [] };
      tenants.set(name, tenant);
      if (tenant.taken < at_once) {
        tenant.taken += 1;
      } else {
        if (tenant.waiting.length >= WAITING_AT_MOST) throw tooMany();
        await new Promise<void>((resolve, reject) => {
          const late = setTimeout(() => {
            tenant.waiting.splice(tenant.waiting.indexOf(mine), 1);
            reject(tooMany());
          }, wait_ms);
          const mine = () => {
            clearTimeout(late);
            resolve();
          };
          tenant.waiting.push(mine);
        });
      }
      return turnOf(name, tenant);
    },
  };
}

const tooMany = () =>
  new ApiError(
    "RATE_LIMITED",
    "Too many large answers for this tenant at once. Ask for at most 100 records, or try again later.",
    [],
    { "Retry-After": String(RETRY_S) },
  );
