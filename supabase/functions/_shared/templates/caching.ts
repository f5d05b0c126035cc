import type { Caching, Warning } from "./template.ts";

const LONGEST_S = 86_400;

/** Time for which a page may be cached, in seconds: in memory here, and in caches between here and the readers. */
export interface CacheTimes {
  memory: number;
  cdn: number;
  warnings: Warning[];
}

/** The effect of a template's `caching`. Without it, pages are not kept. */
export function cacheTimesOf(caching: Caching | null | undefined): CacheTimes {
  const keeping: CacheTimes = { memory: 0, cdn: 0, warnings: [] };
  if (!caching) return keeping;
  const seconds = Math.min(Math.max(Math.trunc(Number(caching.duration)) || 0, 0), LONGEST_S);
  switch (caching.strategy) {
    case "memory":
      return { ...keeping, memory: seconds };
    case "cdn":
      return { ...keeping, cdn: seconds };
    default:
      keeping.warnings.push({
        code: "CACHING_NOT_SUPPORTED",
        message: `There is no ${caching.strategy} cache here: the page is rendered for each request.`,
      });
      return keeping;
  }
}
