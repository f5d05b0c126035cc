import { isSafeHref, isSafeSrc } from "../../values/links.ts";

/** Stands for an output in a text that is checked before values are inserted. Texts of templates must not contain it. */
export const OUTPUT = "\ue000";

/** Once an address has this, inserted values cannot change its host. */
const DECIDED =
  /^(?:https?:\/\/[^/?#\ue000@\\]+[/?#]|\/(?![/\\])|[?#]|mailto:|[\p{L}\p{N}._~-]+[/?#]|\.{1,2}\/)/iu;

/**
 * The state of the beginning of an address. `empty`: there is no text yet. `decided`: its host is fixed, so that inserted
 * values are parts of its path or query. Otherwise an inserted value could change the host or the scheme.
 */
export function addressSoFar(before: string): "empty" | "decided" | "open" {
  if (before === "") return "empty";
  if (before.startsWith(OUTPUT)) return /^\ue000[/?#]/.test(before) ? "decided" : "open";
  return DECIDED.test(before) ? "decided" : "open";
}

/** Whether an address is allowed. OUTPUT in it stands for inserted values. */
export function isAllowedAddress(address: string): boolean {
  if (address === "" || address === OUTPUT) return true;
  if (addressSoFar(address) === "open" && address.includes(OUTPUT)) return false;
  // A value at the beginning is checked when it is inserted, and a value elsewhere is encoded.
  const rest = address.startsWith(OUTPUT) ? address.slice(OUTPUT.length) : address;
  return isSafeHref(rest.replaceAll(OUTPUT, "x"));
}

/** An address of `srcset`, and the width or density of its picture. */
export const CANDIDATE = /^(\S+)(?:\s+\d+(?:\.\d+)?[wx])?$/;

/** The candidates of a `srcset` whose addresses are allowed. */
export function safeCandidates(srcset: string): string[] {
  return srcset
    .split(",")
    .map((one) => one.trim())
    .filter((one) => isSafeSrc(CANDIDATE.exec(one)?.[1] ?? ""));
}

/** Whether all addresses of a `srcset` are allowed. OUTPUT alone is: it is checked when it is inserted. */
export function isAllowedSrcset(srcset: string): boolean {
  if (srcset === OUTPUT) return true;
  return !srcset.includes(OUTPUT) && safeCandidates(srcset).length === srcset.split(",").length;
}
