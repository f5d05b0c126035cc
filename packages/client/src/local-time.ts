/**
 * Reads a local text of the API, such as `created_at_local`, as a Date whose UTC fields are the wall clock of the tenant's
 * time zone. Format it with `timeZone: "UTC"`. The database wrote the offset in it: the zone data of engines lag behind.
 *
 * ```ts
 * new Intl.DateTimeFormat("en", { timeStyle: "short", timeZone: "UTC" }).format(wallClock("2026-11-01T09:30:00-07:00"));
 * // 9:30 AM
 * ```
 */
export const wallClock = (local: string): Date => new Date(`${local.slice(0, 19)}Z`);
