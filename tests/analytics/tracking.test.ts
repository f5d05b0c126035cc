import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ClientOptions, createClient } from "../../packages/client/src/index.js";
import { eventually } from "../eventually.js";
import { listProduct, openTestTenant, stackInUse, type TestTenant } from "../souk.js";
import { did, funnelOf, keptOf } from "./visiting.js";

// The client collects events of a visitor. The browser page is simulated; the rest is real.

let testTenant: TestTenant;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let lamp: any;
let page: EventTarget;
let sheet: EventTarget & { visibilityState: string };

beforeEach(async () => {
  testTenant = await openTestTenant();
  lamp = await listProduct(testTenant.supplier, { name: "Lamp" });
  page = new EventTarget();
  sheet = Object.assign(new EventTarget(), { visibilityState: "visible" });
});

afterEach(() => vi.unstubAllGlobals());

/** Defines the browser globals that Node lacks. */
function openPage() {
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("document", sheet);
}

/** A guest's client, and the requests in which it reports. `away` simulates a lost network. */
async function openShop(options: ClientOptions = {}) {
  const requests: { init: RequestInit; ids: string[] }[] = [];
  const line = { away: false };
  const { url, publishable_key } = stackInUse();
  const souk = createClient(url, publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    ...options,
    fetch: async (input, init) => {
      if (!String(input).endsWith("/api/analytics/events")) return fetch(input, init);
      const { events } = JSON.parse(String(init?.body));
      requests.push({ init: init ?? {}, ids: events.map(({ id }: { id: string }) => id) });
      if (line.away) throw new TypeError("fetch failed");
      return fetch(input, init);
    },
  });
  await souk.auth.guest(testTenant.marketplace.domain);
  return { souk, requests, line, track: souk.analytics.track };
}

/** Hides the page as browsers do: no later promise is awaited. */
function hide() {
  sheet.visibilityState = "hidden";
  sheet.dispatchEvent(new Event("visibilitychange"));
}

const kept = () => keptOf(testTenant.tenantId);
const until = (count: number) => eventually(async () => expect(await kept()).toBe(count));
const visit = { type: "visit" } as const;

describe("a tracked event", () => {
  it("is sent after a few seconds, together with others, with its original time", async () => {
    const { track, requests } = await openShop();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const begun = Date.now();
    track(visit);
    track({ type: "product_view", product_id: lamp.id });
    const done = Date.now();
    vi.advanceTimersByTime(4900);
    expect(requests).toEqual([]);
    vi.advanceTimersByTime(200);
    vi.useRealTimers();
    await until(2);
    expect(requests).toHaveLength(1);
    for (const { occurred_at } of JSON.parse(String(requests[0]?.init.body)).events) {
      expect(Date.parse(occurred_at)).toBeGreaterThanOrEqual(begun);
      expect(Date.parse(occurred_at)).toBeLessThanOrEqual(done);
    }
    expect((await funnelOf(testTenant.operator)).counts).toEqual([1, 1, 0, 0]);
  });

  it("is sent earlier when many are waiting", async () => {
    const { souk, track, requests } = await openShop();
    // The first twenty do not wait for the others.
    for (let i = 0; i < 25; i += 1) track(visit);
    await souk.analytics.flush();
    expect(requests[0]?.ids).toHaveLength(20);
    await souk.analytics.flush();
    await until(25);
  });

  it("is sent on flush, in batches small enough for a closed page", async () => {
    const { souk, track, requests, line } = await openShop();
    line.away = true;
    for (let i = 0; i < 250; i += 1) track(visit);
    line.away = false;
    await souk.analytics.flush();
    await souk.analytics.flush();
    expect(await kept()).toBe(250);
    expect(new Set(requests.flatMap(({ ids }) => ids)).size).toBe(250);
    for (const { init, ids } of requests) {
      expect(ids.length).toBeLessThanOrEqual(100);
      expect(Buffer.byteLength(String(init.body))).toBeLessThan(60_000);
      expect(init.keepalive).toBe(true);
    }
  });

  it.each([
    ["hidden", hide],
    ["left", () => page.dispatchEvent(new Event("pagehide"))],
  ])("is sent immediately when the page is %s", async (_, leave) => {
    openPage();
    const { souk, track, requests } = await openShop();
    track({ type: "add_to_cart", product_id: lamp.id });
    // `track` has already requested the token.
    await souk.supabase.auth.getSession();
    await new Promise((later) => setTimeout(later));
    leave();
    expect(requests).toHaveLength(1);
    expect(requests[0]?.init.keepalive).toBe(true);
    await until(1);
    expect((await funnelOf(testTenant.operator)).counts).toEqual([1, 1, 1, 0]);
    // The page is shown and hidden again. Nothing is sent twice.
    sheet.visibilityState = "visible";
    sheet.dispatchEvent(new Event("visibilitychange"));
    leave();
    expect(requests).toHaveLength(1);
  });

  it("that was lost is sent again with the same id when the network is back, and counts once", async () => {
    openPage();
    const { souk, track, requests, line } = await openShop();
    line.away = true;
    track(visit);
    track({ type: "product_view", product_id: lamp.id });
    await souk.analytics.flush();
    hide();
    track({ type: "checkout", product_id: lamp.id });
    await souk.analytics.flush();
    expect(await kept()).toBe(0);
    line.away = false;
    page.dispatchEvent(new Event("online"));
    await until(3);
    const last = requests.at(-1) as (typeof requests)[number];
    expect(last.ids).toHaveLength(3);
    for (const { ids } of requests) expect(last.ids).toEqual(expect.arrayContaining(ids));
    expect((await funnelOf(testTenant.operator)).counts).toEqual([1, 1, 1, 1]);
  });

  it("whose answer was lost counts once", async () => {
    let lost = 1;
    const { url, publishable_key } = stackInUse();
    const souk = createClient(url, publishable_key, {
      auth: { persistSession: false, autoRefreshToken: false },
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        if (!String(input).endsWith("/events") || lost === 0) return answer;
        lost -= 1;
        throw new TypeError("fetch failed");
      },
    });
    await souk.auth.guest(testTenant.marketplace.domain);
    souk.analytics.track(visit);
    await souk.analytics.flush();
    expect(await kept()).toBe(1);
    await souk.analytics.flush();
    expect(lost).toBe(0);
    expect(await kept()).toBe(1);
  });

  it("waits until somebody is signed in", async () => {
    const { souk, track, requests } = await openShop();
    await souk.auth.logout();
    track(visit);
    await souk.analytics.flush();
    await souk.auth.guest(testTenant.marketplace.domain);
    await souk.analytics.flush();
    expect(await kept()).toBe(1);
    expect(requests[0]?.ids).toEqual(requests[1]?.ids);
  });

  it("has the given id and time", async () => {
    const { souk, requests } = await openShop();
    const event = did("visit", undefined, { occurred_at: new Date(0).toISOString() });
    souk.analytics.track(event as never);
    await souk.analytics.flush();
    expect(requests[0]?.ids).toEqual([event.id]);
    // It was refused, so there is nothing to send again.
    await souk.analytics.flush();
    expect(requests).toHaveLength(1);
    expect(await kept()).toBe(0);
  });
});

describe("without consent", () => {
  it("nothing is kept or sent until consent is given", async () => {
    openPage();
    const { souk, track, requests } = await openShop({ tracking: { consent: false } });
    for (let i = 0; i < 30; i += 1) track(visit);
    hide();
    await souk.analytics.flush();
    expect(requests).toEqual([]);
    souk.analytics.consent(true);
    track(visit);
    await souk.analytics.flush();
    expect(await kept()).toBe(1);
  });

  it("waiting events are deleted, also those that could not be sent", async () => {
    const { souk, track, requests, line } = await openShop();
    line.away = true;
    track(visit);
    const lost = souk.analytics.flush();
    track(visit);
    souk.analytics.consent(false);
    await lost;
    line.away = false;
    souk.analytics.consent(true);
    const sent = requests.length;
    await souk.analytics.flush();
    expect(requests).toHaveLength(sent);
    expect(await kept()).toBe(0);
  });
});

describe("a shop", () => {
  it("gets no errors from tracking", async () => {
    const { souk, track, line } = await openShop();
    const circle: Record<string, unknown> = { type: "visit" };
    circle.itself = circle;
    for (const odd of [circle, null, undefined, 5, "visit", { type: "visit", at: 5n }]) {
      expect(() => track(odd as never)).not.toThrow();
    }
    line.away = true;
    await expect(souk.analytics.flush()).resolves.toBeUndefined();
    vi.stubGlobal("crypto", undefined);
    expect(() => track(visit)).not.toThrow();
    expect(() => souk.analytics.consent(false)).not.toThrow();
  });

  it("keeps at most the last thousand events that cannot be sent", async () => {
    const { souk, track, requests, line } = await openShop();
    line.away = true;
    for (let i = 0; i < 1500; i += 1) track({ ...visit, visitor_id: `${i}` });
    await souk.analytics.flush();
    line.away = false;
    requests.length = 0;
    await souk.analytics.flush();
    expect(requests.flatMap(({ ids }) => ids)).toHaveLength(1000);
    const visitors = requests.flatMap(({ init }) =>
      JSON.parse(String(init.body)).events.map((event: { visitor_id: string }) => event.visitor_id),
    );
    expect([visitors[0], visitors.at(-1)]).toEqual(["500", "1499"]);
  });
});
