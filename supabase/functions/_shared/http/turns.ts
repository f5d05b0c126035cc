/** The work of each tenant that runs at once in this process, and what waits for it. */
export interface Turns {
  /**
   * Waits for a turn of a tenant, at most `wait_ms`, and returns a function that ends it. Throws the refusal after that
   * time, or at once if too many wait already.
   */
  begin(tenant: string, wait_ms: number): Promise<() => void>;
}

/** Maximum number of requests of a tenant that wait for a turn. */
const WAITING_AT_MOST = 20;
/** Longest rest after a turn, in milliseconds. */
const REST_MS = 2_000;

interface Tenant {
  taken: number;
  waiting: (() => void)[];
}

/**
 * Makes turns of which a tenant has `at_once` at the same time. After a turn, nobody has it for as long as it took. So a
 * tenant that wants all turns at all times gets half of this time, and a caller that reads page after page hardly waits.
 */
export function createTurns(at_once: number, refusal: () => Error): Turns {
  /** Those that have a turn, or rest. */
  const tenants = new Map<string, Tenant>();

  function release(name: string, tenant: Tenant): void {
    const next = tenant.waiting.shift();
    if (next) return next();
    tenant.taken -= 1;
    if (tenant.taken === 0) tenants.delete(name);
  }

  function turnOf(name: string, tenant: Tenant): () => void {
    const begun = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      setTimeout(() => release(name, tenant), Math.min(performance.now() - begun, REST_MS));
    };
  }

  /** Waits until another turn is handed on. */
  function wait({ waiting }: Tenant, ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(refusal());
      }, ms);
      const mine = () => {
        clearTimeout(late);
        resolve();
      };
      waiting.push(mine);
    });
  }

  return {
    async begin(name, wait_ms) {
      const tenant = tenants.get(name) ?? { taken: 0, waiting: [] };
      tenants.set(name, tenant);
      if (tenant.taken < at_once) tenant.taken += 1;
      else if (tenant.waiting.length < WAITING_AT_MOST) await wait(tenant, wait_ms);
      else throw refusal();
      return turnOf(name, tenant);
    },
  };
}
