import { isObject } from "./depth.ts";

/**
 * A value whose texts are in Unicode NFC, in which the database stores them (`private.nfc`). Check this form: `>` and U+0338
 * are one character in it, so a tag of the text as it was sent may have no end. Addresses of the web do not change.
 */
export function inNfc<Value>(value: Value): Value {
  return composed(value) as Value;
}

function composed(value: unknown): unknown {
  if (typeof value === "string") return /^https?:\/\/\S+$/.test(value) ? value : value.normalize();
  if (Array.isArray(value)) return value.map(composed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.normalize(), composed(inner)]),
  );
}
