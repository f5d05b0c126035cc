import { RestError } from "./errors.js";

/** The parsed `Prefer` header. */
export interface Preferences {
  resolution: "merge-duplicates" | "ignore-duplicates" | null;
  missing: "default" | "null" | null;
  return: "representation" | "minimal" | "headers-only" | null;
  count: "exact" | "planned" | "estimated" | null;
  tx: "commit" | "rollback" | null;
  handling: "strict" | "lenient" | null;
  timezone: string | null;
  maxAffected: number | null;
  /** Unknown preferences and invalid values. */
  unknown: string[];
}

const choices: Record<string, readonly string[]> = {
  resolution: ["merge-duplicates", "ignore-duplicates"],
  missing: ["default", "null"],
  return: ["representation", "minimal", "headers-only"],
  count: ["exact", "planned", "estimated"],
  tx: ["commit", "rollback"],
  handling: ["strict", "lenient"],
};

export function parsePreferences(header: string | null, txOverride: boolean): Preferences {
  if (header === null) return none;
  const found: Record<string, string> = {};
  const unknown: string[] = [];
  for (const preference of header.split(",").map((each) => each.trim())) {
    if (preference === "") continue;
    const at = preference.indexOf("=");
    const name = preference.slice(0, at);
    const value = preference.slice(at + 1);
    const allowed = Object.hasOwn(choices, name) ? choices[name] : undefined;
    const known =
      allowed?.includes(value) ||
      (name === "timezone" && isTimezone(value)) ||
      name === "max-affected";
    if (!known) unknown.push(preference);
    else found[name] ??= value;
  }
  const most = found["max-affected"] ?? "";
  const preferences = {
    resolution: found.resolution ?? null,
    missing: found.missing ?? null,
    return: found.return ?? null,
    count: found.count ?? null,
    tx: txOverride ? (found.tx ?? null) : null,
    handling: found.handling ?? null,
    timezone: found.timezone ?? null,
    maxAffected: /^-?\d{1,15}$/.test(most) ? Number(most) : null,
    unknown,
  };
  return preferences as Preferences;
}

const none = parsePreferences("", false);

/** Throws PGRST122 for unknown preferences with handling=strict. */
export function refuseUnknown({ handling, unknown }: Preferences): void {
  if (handling !== "strict" || unknown.length === 0) return;
  throw new RestError(
    400,
    "PGRST122",
    "Invalid preferences given with handling=strict",
    `Invalid preferences: ${unknown.join(", ")}`,
  );
}

/**
 * Whether it is a time zone name. Excludes offsets, whose sign has the opposite meaning in
 * Postgres.
 */
function isTimezone(name: string): boolean {
  try {
    return /^[A-Z]/.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** The `Preference-Applied` header with the preferences that took effect. */
export function preferencesApplied(
  preferences: Preferences,
  effective: { resolution: boolean; missing: boolean; return: boolean; maxAffected: boolean },
): Record<string, string> {
  const { handling, maxAffected } = preferences;
  const applied = [
    effective.resolution && preferences.resolution && `resolution=${preferences.resolution}`,
    effective.missing && preferences.missing && `missing=${preferences.missing}`,
    effective.return && preferences.return && `return=${preferences.return}`,
    preferences.count && `count=${preferences.count}`,
    preferences.tx && `tx=${preferences.tx}`,
    handling && `handling=${handling}`,
    preferences.timezone && `timezone=${preferences.timezone}`,
    effective.maxAffected &&
      handling === "strict" &&
      maxAffected !== null &&
      `max-affected=${maxAffected}`,
  ].filter((each) => typeof each === "string");
  return applied.length === 0 ? {} : { "Preference-Applied": applied.join(", ") };
}
