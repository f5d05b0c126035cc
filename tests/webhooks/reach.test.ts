import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { destinationOf, refusedAtSight } from "../../supabase/functions/_shared/webhooks/reach.ts";
import {
  INSIDE,
  INSIDE_BY_NUMBER,
  LOOPBACK,
  NO_ADDRESS,
  PUBLIC,
  PUBLIC_4,
  PUBLIC_6,
  PUBLIC_NAMES,
  RESOLVES_INSIDE,
  UNKNOWN,
} from "./targets.js";

// Addresses that webhooks must not be sent to, and allowed ones. Nothing is connected, and no real resolver is used.

// Other files of this process may have loaded the module under test, which imports the function by name.
// biome-ignore lint/suspicious/noExplicitAny: of its overloads, the one with `all` is meant.
const lookup = vi.spyOn(dns as any, "lookup");
syncBuiltinESMExports();
afterAll(() => {
  lookup.mockRestore();
  syncBuiltinESMExports();
});

/** A resolver with one answer, and the names that it was asked for. */
function resolver(addresses: string[]) {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return addresses;
  };
  return { asked, resolve };
}

async function nobody(name: string): Promise<string[]> {
  throw new Error(`getaddrinfo ENOTFOUND ${name}`);
}

describe.each([
  ["of a hosted project", false],
  ["of a local stack", true],
])("a webhook %s", (_, isLocal) => {
  it.each(INSIDE_BY_NUMBER)("never reaches %s", async (url) => {
    const { asked, resolve } = resolver([PUBLIC_4]);
    expect(refusedAtSight(url, isLocal)).toBe(INSIDE);
    expect(await destinationOf(url, resolve, isLocal)).toEqual({ refusal: INSIDE });
    expect(asked).toEqual([]);
  });

  it.each(NO_ADDRESS)("refuses %j: %s", async (url, refusal) => {
    const { asked, resolve } = resolver([PUBLIC_4]);
    expect(refusedAtSight(url, isLocal)).toBe(refusal);
    expect(await destinationOf(url, resolve, isLocal)).toEqual({ refusal });
    expect(asked).toEqual([]);
  });

  it.each(RESOLVES_INSIDE)("refuses a name that resolves to %s", async (_, addresses) => {
    const { asked, resolve } = resolver(addresses);
    const url = "https://shop.example.com/hooks";
    expect(refusedAtSight(url, isLocal)).toBeNull();
    expect(await destinationOf(url, resolve, isLocal)).toEqual({ refusal: INSIDE });
    expect(asked).toEqual(["shop.example.com"]);
  });

  it("refuses a name that does not resolve", async () => {
    const url = "https://shop.example.com/hooks";
    for (const resolve of [nobody, resolver([]).resolve]) {
      expect(await destinationOf(url, resolve, isLocal)).toEqual({ refusal: UNKNOWN });
    }
  });

  it.each(PUBLIC)("reaches %s", async (url) => {
    expect(refusedAtSight(url, isLocal)).toBeNull();
    const destination = await destinationOf(url, nobody, isLocal);
    expect(destination).toEqual({ url: new URL(url), addresses: [expect.any(String)] });
  });

  it.each(PUBLIC_NAMES)("reaches %s", async (url) => {
    expect(refusedAtSight(url, isLocal)).toBeNull();
    const { asked, resolve } = resolver([PUBLIC_6, "1.1.1.1", "::ffff:93.184.216.34"]);
    expect(await destinationOf(url, resolve, isLocal)).toEqual({
      url: new URL(url),
      addresses: ["1.1.1.1", PUBLIC_4, PUBLIC_6],
    });
    expect(asked).toEqual([new URL(url).hostname.replace(/\.$/, "")]);
  });
});

describe("this machine", () => {
  it.each(LOOPBACK)("can be reached as %j from a local stack only", async (url) => {
    expect(refusedAtSight(url, false)).toBe(INSIDE);
    expect(await destinationOf(url, nobody, false)).toEqual({ refusal: INSIDE });
    expect(refusedAtSight(url, true)).toBeNull();
    expect(await destinationOf(url, nobody, true)).toHaveProperty("addresses");
  });

  it("can be reached by a name that resolves to it from a local stack only", async () => {
    for (const addresses of [
      ["127.0.0.1"],
      ["::1"],
      ["::ffff:127.0.0.1"],
      ["127.9.9.9", PUBLIC_4],
    ]) {
      const { resolve } = resolver(addresses);
      const url = "http://shop.example.com/";
      expect(await destinationOf(url, resolve, false)).toEqual({ refusal: INSIDE });
      expect(await destinationOf(url, resolve, true)).toHaveProperty("addresses");
      const mixed = resolver([...addresses, "10.0.0.1"]);
      expect(await destinationOf(url, mixed.resolve, true)).toEqual({ refusal: INSIDE });
    }
  });

  it("is not looked up: resolvers have no influence on localhost", async () => {
    const { asked, resolve } = resolver(["10.0.0.1"]);
    expect(await destinationOf("http://localhost:8080/", resolve, true)).toMatchObject({
      addresses: ["127.0.0.1", "::1"],
    });
    expect(asked).toEqual([]);
  });

  it("cannot be reached by default", async () => {
    expect(refusedAtSight("http://127.0.0.1/")).toBe(INSIDE);
    expect(await destinationOf("http://127.0.0.1/")).toEqual({ refusal: INSIDE });
  });
});

describe("the system's resolver", () => {
  it("is asked for all addresses, once for a burst of deliveries", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const url = "https://burst.example.com/";
    const answer = (...addresses: string[]) =>
      lookup.mockResolvedValueOnce(addresses.map((address) => ({ address })));
    answer(PUBLIC_4, "1.1.1.1");
    const burst = await Promise.all([1, 2, 3].map(() => destinationOf(url)));
    for (const one of burst) expect(one).toMatchObject({ addresses: [PUBLIC_4, "1.1.1.1"] });
    expect(lookup.mock.calls).toEqual([["burst.example.com", { all: true }]]);
    // An old answer is not used for long.
    answer("10.0.0.1");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await destinationOf(url)).toEqual({ refusal: INSIDE });
  });

  it("is asked again after it has failed", async () => {
    const url = "https://failing.example.com/";
    lookup.mockRejectedValueOnce(new Error("ENOTFOUND"));
    expect(await destinationOf(url)).toEqual({ refusal: UNKNOWN });
    lookup.mockResolvedValueOnce([{ address: PUBLIC_4 }]);
    expect(await destinationOf(url)).toMatchObject({ addresses: [PUBLIC_4] });
  });
});
