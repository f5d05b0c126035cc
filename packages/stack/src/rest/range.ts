import type { Range } from "./ast.js";
import { notSatisfiable } from "./errors.js";

/**
 * Combines the `Range` header with the parameters `limit` and `offset`. `limit=0` means no rows,
 * and overrides the header. Throws PGRST103.
 */
export function requestedRange(
  header: string | null,
  limit: number | null,
  offset: number | null,
): Range {
  if (limit === 0) return { offset: 0, limit: 0 };
  if (limit !== null && limit < 0) {
    throw notSatisfiable("Limit should be greater than or equal to zero.");
  }
  const from = Math.max(0, offset ?? 0);
  const to = limit === null ? Number.POSITIVE_INFINITY : from + limit - 1;
  const match = header === null ? null : /^(\d{1,15})-(\d{0,15})$/.exec(header);
  const headerFrom = match ? Number(match[1]) : 0;
  const headerTo = match?.[2] ? Number(match[2]) : Number.POSITIVE_INFINITY;
  if (headerTo < headerFrom) {
    throw notSatisfiable(
      "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
    );
  }
  const first = Math.max(from, headerFrom);
  const last = Math.min(to, headerTo);
  if (last < first) throw notSatisfiable("Limit should be greater than or equal to zero.");
  return { offset: first, limit: last === Number.POSITIVE_INFINITY ? null : last - first + 1 };
}

/** The `Content-Range` of rows `first` to `last` of `total` (null: not counted). */
export function contentRange(first: number, last: number, total: number | null): string {
  const rows = total !== 0 && first <= last ? `${first}-${last}` : "*";
  return `${rows}/${total ?? "*"}`;
}

/** 200 for all rows or an unknown total, 206 for a part, 416 beyond the end. */
export function rangeStatus(first: number, last: number, total: number | null): 200 | 206 | 416 {
  if (total === null) return 200;
  if (first > total) return 416;
  return 1 + last - first < total ? 206 : 200;
}
