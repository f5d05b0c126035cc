import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";

/** Whether two texts are the same, in a time that tells nothing about the second one. */
export function sameText(a: string, b: string): boolean {
  return (
    Buffer.byteLength(a) === Buffer.byteLength(b) && timingSafeEqual(Buffer.from(a), Buffer.from(b))
  );
}
