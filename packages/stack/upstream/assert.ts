// The two assertions of Deno's standard library that the suites use.
import assert from "node:assert/strict";

export const assertEquals: typeof assert.deepEqual = assert.deepEqual;

export function assertExists(value: unknown): void {
  assert.ok(value !== null && value !== undefined, "expected a value");
}
