import { isSafeHref, isSafeSrc } from "../content/links.ts";

/** Stands for an output in a text that is judged before it is put in. A text of its own may not have it. */
export const OUTPUT = "\ue000";

/** Decides where an address leads, whatever is put in behind it. */
const DECIDED =
  /^(?:https?:\/\/[^/?#\ue000@\\]+[/?#]|\/(?![/\\])|[?#]|mailto:|[\p{L}\p{N}._~-]+[/?#]|\.{1,2}\/)/iu;

/**
 * How far an address has come: nothing is there yet, or it is decided where it leads, so that what is put in is a part
 * of its path or query; or neither, so that what is put in could lead it anywhere.
 */
export function addressSoFar(before: string): "empty" | "decided" | "open" {
  if (before === "") return "empty";
  if (before.startsWith(OUTPUT)) return /^\ue000[/?#]/.test(before) ? "decided" : "open";
  return DECIDED.test(before) ? "decided" : "open";
}

/** Whether an address, with OUTPUT for what is put in, leads where addresses may lead. */
export function isAllowedAddress(address: string): boolean {
  if (address === "" || address === OUTPUT) return true;
  if (addressSoFar(address) === "open" && address.includes(OUTPUT)) return false;
  // What is put in at the beginning is judged by itself, and what is put in elsewhere is encoded.
  const rest = address.startsWith(OUTPUT) ? address.slice(OUTPUT.length) : address;
  return isSafeHref(rest.replaceAll(OUTPUT, "x"));
}

/** One address of `srcset`, and how wide or dense its picture is. */
const CANDIDATE = /^(\S+)(?:\s+\d+(?:\.\d+)?[wx])?$/;

/** Those of a `srcset`'s candidates that lead where pictures may be. */
export function safeCandidates(srcset: string): string[] {
  return srcset
    .split(",")
    .map((one) => one.trim())
    .filter((one) => isSafeSrc(CANDIDATE.exec(one)?.[1] ?? ""));
}

/** Whether all of a `srcset` may be there; OUTPUT alone, which is judged when it is put in, may. */
export function isAllowedSrcset(srcset: string): boolean {
  if (srcset === OUTPUT) return true;
  return !srcset.includes(OUTPUT) && safeCandidates(srcset).length === srcset.split(",").length;
}
