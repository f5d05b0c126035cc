import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openGuest, type Person, register, type Visitor } from "../souk.js";
import {
  expectNothingOf,
  type Neighbours,
  openNeighbours,
  rowsOf,
  secretsOf,
} from "./neighbours.js";
import { addressOf, operations } from "./operations.js";
import { ROLES, type Role } from "./tenant-records.js";

// Every operation of the API, called with the ids of another tenant's records, by each role and anonymously.
// roles.test.ts checks that every operation in the OpenAPI document has a case.

let neighbours: Neighbours;

beforeAll(async () => {
  neighbours = await openNeighbours();
});

afterAll(() => neighbours?.close());

/** An id. The keys of content types contain one with underscores. */
const UUID = /[0-9a-f]{8}([-_])(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}/g;

interface Batch {
  results?: { status: string }[];
  imported?: number;
}

/** Whether no item of a batch was accepted. Events and lines of a batch have separate results. */
const refusedEach = ({ results, imported }: Batch) =>
  results?.every(({ status }) => status === "invalid") ?? imported === 0;

const withoutIds = (shown: unknown) => JSON.stringify(shown).replaceAll(UUID, "id");

describe("every operation", () => {
  /** Callers of the same kind. They take turns, because a customer and a guest may send 100 requests a minute. */
  async function callersOf(
    stranger: Role | "visitor" | "anon",
  ): Promise<(Person | Visitor | undefined)[]> {
    const { ours } = neighbours;
    if (stranger === "anon") return [undefined];
    if (stranger === "visitor") return [{ visits: ours.marketplace.domain as string }];
    const first = ours.people[stranger];
    if (stranger !== "customer" && stranger !== "guest") return [first];
    const others = [1, 2, 3, 4, 5].map(() =>
      stranger === "customer"
        ? register({ tenant_id: ours.tenantId })
        : openGuest(ours.marketplace as { domain: string }),
    );
    return [first, ...(await Promise.all(others))];
  }

  it.each([
    ...ROLES,
    "visitor",
    "anon",
  ] as const)("is refused to %s of another tenant", async (stranger) => {
    const { theirs, relations } = neighbours;
    const before = await rowsOf(theirs, relations);
    const callers = await callersOf(stranger);
    for (const [i, [name, { body, type, open }]] of Object.entries(operations).entries()) {
      if (open) continue;
      const as = callers[i % callers.length];
      const { method, path } = addressOf(name, theirs);
      // Records that a caller writes into the own tenant are its own.
      const sent = body?.({ ...theirs, mark: "copied" });
      const headers: Record<string, string> = type ? { "content-type": type } : {};
      const answer = await call(method, path, { as, body: sent, headers });
      expectNothingOf(theirs, [answer.body, [...answer.headers]], [path, sent]);
      const aimed = addressOf(name, theirs).path.split("?")[0]?.match(UUID);
      const wrote = method !== "GET" && answer.status < 300 && !refusedEach(answer.body);
      const sentText = JSON.stringify(sent) ?? "";
      const pointed = secretsOf({ ...theirs, mark: theirs.tenantId }).some((id) =>
        sentText.includes(id),
      );
      if (aimed) {
        // The answer must be the same as for an id that does not exist.
        const nowhere = path.replaceAll(UUID, (_, separator) =>
          randomUUID().replaceAll("-", separator),
        );
        const unknown = await call(method, nowhere, { as, body: sent, headers });
        expect([name, answer.status, withoutIds(answer.body)]).toEqual([
          name,
          unknown.status,
          withoutIds(unknown.body),
        ]);
        expect([401, 403, 404], `${name}: ${answer.status}`).toContain(answer.status);
      } else if (pointed) {
        expect({ name, wrote }).toEqual({ name, wrote: false });
      }
      if (stranger === "anon") {
        expect({ name, status: answer.status }).toEqual({ name, status: 401 });
      }
    }
    expect(await rowsOf(theirs, relations)).toEqual(before);
  });
});
