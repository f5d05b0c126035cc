import { createClient as createSupabaseClient } from "@supabase/supabase-js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chance, draw, restartDraws } from "../../../tests/random.js";
import { createClient, type SoukClient } from "../src/index.js";

// A client whose connection is cut and restored later. The network is simulated and the clock is
// mocked, so that hours offline take no time.

const TOKEN_SECONDS = 3600;
const TOPIC = "realtime:order:o1";

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const secondsNow = () => Math.floor(Date.now() / 1000);

/** Auth, the HTTP API and Realtime behind a connection that can be cut. */
class Network {
  online = true;
  /** Whether Auth refuses every refresh token. */
  over = false;
  /** The number of successful refreshes. */
  refreshed = 0;
  sockets = new Set<Line>();
  private token = "r1";

  session() {
    const exp = secondsNow() + TOKEN_SECONDS;
    const claims = { sub: "u1", role: "authenticated", exp, n: this.refreshed };
    return {
      access_token: `${encode({ alg: "HS256" })}.${encode(claims)}.c2ln`,
      refresh_token: this.token,
      token_type: "bearer",
      expires_in: TOKEN_SECONDS,
      expires_at: exp,
      user: { id: "u1", aud: "authenticated", app_metadata: {}, user_metadata: {} },
    };
  }

  fetch: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!this.online) throw new TypeError("fetch failed");
    if (pathname === "/auth/v1/user") return Response.json(this.session().user);
    if (pathname !== "/auth/v1/token") return Response.json({ orders: [] });
    const { refresh_token } = JSON.parse(String(init?.body));
    // A refresh token is valid once.
    if (this.over || refresh_token !== this.token) {
      return Response.json({ code: "refresh_token_already_used" }, { status: 400 });
    }
    this.refreshed += 1;
    this.token = `r${this.refreshed + 1}`;
    return Response.json(this.session());
  };

  cut() {
    this.online = false;
    for (const line of this.sockets) line.end();
  }

  /** Whether a client listens to the order with a valid token. */
  get isHeard() {
    return [...this.sockets].some((line) => line.joined);
  }

  /** The transport for supabase-js. */
  get transport() {
    const network = this;
    return class extends Line {
      constructor() {
        super(network);
      }
    } as never;
  }
}

/** A websocket to Realtime. */
class Line {
  readyState = 0;
  bufferedAmount = 0;
  joined = false;
  onopen = () => {};
  onclose = (_event: object) => {};
  onerror = (_event: object) => {};
  onmessage = (_event: object) => {};

  constructor(private readonly network: Network) {
    setTimeout(() => {
      if (this.readyState !== 0) return;
      if (!network.online) return this.end();
      this.readyState = 1;
      network.sockets.add(this);
      this.onopen();
    }, 20);
  }

  send(frame: string) {
    const [joinRef, ref, topic, event, payload] = JSON.parse(frame);
    const say = (...message: unknown[]) =>
      setTimeout(() => this.onmessage({ data: JSON.stringify(message) }), 5);
    const reply = (status: string, response: object) =>
      say(joinRef, ref, topic, "phx_reply", { status, response });
    if (event === "phx_leave") this.joined = false;
    if (event !== "phx_join") return reply("ok", {});
    const claims = payload.access_token.split(".")[1];
    const exp = claims ? JSON.parse(Buffer.from(claims, "base64url").toString()).exp : 0;
    if (exp <= secondsNow()) {
      return reply("error", { reason: "InvalidJWTToken: Token has expired 1 seconds ago" });
    }
    this.joined = true;
    reply("ok", {});
    say(joinRef, null, topic, "system", { extension: "system", status: "ok", message: "ready" });
  }

  /** The message of Realtime when the token of a channel expires, and the end of the channel. */
  expire() {
    this.joined = false;
    const say = (event: string, payload: object) =>
      this.onmessage({ data: JSON.stringify([null, null, TOPIC, event, payload]) });
    say("system", { extension: "system", status: "error", message: "Token has expired" });
    say("phx_close", {});
  }

  close() {
    this.end();
  }

  end() {
    this.network.sockets.delete(this);
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.joined = false;
    this.onerror({ type: "error" });
    this.onclose({ code: 1006 });
  }
}

let network: Network;
let souk: SoukClient;
const listener = { onError: vi.fn(), onReconnect: vi.fn(), onClose: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers();
  // supabase-js logs each refresh that fails in the network.
  vi.spyOn(console, "error").mockImplementation(() => {});
  network = new Network();
  for (const callback of Object.values(listener)) callback.mockClear();
});

afterEach(async () => {
  const gone = souk.supabase.removeAllChannels();
  await vi.advanceTimersByTimeAsync(60_000);
  await gone;
  await souk.supabase.auth.stopAutoRefresh();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Made = "made by the client" | "made with supabase-js";

/** Signs in and listens to an order. Browsers refresh tokens before they expire (`autoRefreshToken`), servers do not. */
async function listen(autoRefreshToken: boolean, made: Made = "made by the client") {
  const options = {
    auth: { persistSession: false, autoRefreshToken },
    realtime: { transport: network.transport },
  };
  const [url, key] = ["http://souk.invalid", "sb_publishable_key"];
  souk =
    made === "made by the client"
      ? createClient(url, key, { fetch: network.fetch, ...options })
      : createClient(url, key, {
          fetch: network.fetch,
          supabase: createSupabaseClient(url, key, {
            global: { fetch: network.fetch },
            ...options,
          }),
        });
  await souk.supabase.auth.setSession(network.session());
  const listening = souk.realtime.order("o1", listener);
  await vi.advanceTimersByTimeAsync(1000);
  const subscription = await listening;
  expect(network.isHeard).toBe(true);
  return subscription;
}

/** The number of seconds until the client listens to the order; at most 120. */
async function secondsUntilHeard(): Promise<number> {
  const from = Date.now();
  while (!network.isHeard && Date.now() - from < 120_000) await vi.advanceTimersByTimeAsync(100);
  return (Date.now() - from) / 1000;
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

/** The last second at which supabase-js has not refreshed the token by itself. */
const BEFORE_REFRESH = TOKEN_SECONDS - 125;

describe("a client whose token expires while it is offline", () => {
  restartDraws();
  const drawn = Array.from({ length: 30 }, () => ({
    seconds: 126 + draw(300),
    refreshes: chance(50),
  }));
  it.each([
    ...drawn,
    { seconds: 6 * 3600, refreshes: true },
    { seconds: 6 * 3600, refreshes: false },
  ])("listens again within 10 s after $seconds s, autoRefreshToken $refreshes", async ({
    seconds,
    refreshes,
  }) => {
    await listen(refreshes);
    await pass(BEFORE_REFRESH);
    network.cut();
    await pass(seconds);
    network.online = true;
    expect(await secondsUntilHeard()).toBeLessThan(10);
    await pass(1);
    expect(listener.onReconnect).toHaveBeenCalledTimes(1);
    expect(listener.onClose).not.toHaveBeenCalled();
  });

  it.each([
    130, 150, 175, 225, 600,
  ])("listens again within 10 s after %s s with a supabase-js of the program's own", async (seconds) => {
    await listen(true, "made with supabase-js");
    await pass(BEFORE_REFRESH);
    network.cut();
    await pass(seconds);
    network.online = true;
    expect(await secondsUntilHeard()).toBeLessThan(10);
  });

  it("calls the HTTP API immediately when the network is back", async () => {
    await listen(false);
    await pass(BEFORE_REFRESH);
    network.cut();
    await pass(126);
    const failing = expect(souk.orders.list()).rejects.toThrow();
    await pass(60);
    await failing;
    network.online = true;
    const listed = souk.orders.list();
    await pass(4);
    expect(await listed).toEqual({ orders: [] });
  });
});

describe("a channel that the server closes because its token has expired", () => {
  // The connection is open, but nothing is received while the computer sleeps.
  async function sleepUntilExpired() {
    const subscription = await listen(false);
    vi.setSystemTime(Date.now() + TOKEN_SECONDS * 1000);
    for (const line of network.sockets) line.expire();
    return subscription;
  }

  it("is opened again with a new token", async () => {
    await sleepUntilExpired();
    expect(await secondsUntilHeard()).toBeLessThan(10);
    await pass(1);
    expect(listener.onReconnect).toHaveBeenCalledTimes(1);
    expect(listener.onClose).not.toHaveBeenCalled();
  });

  it("is reported as closed when the session is over", async () => {
    network.over = true;
    await sleepUntilExpired();
    await pass(10);
    expect(listener.onClose).toHaveBeenCalledTimes(1);
    expect(network.isHeard).toBe(false);
  });

  it("stays closed when the client leaves meanwhile", async () => {
    const subscription = await sleepUntilExpired();
    await subscription.unsubscribe();
    await pass(60);
    expect(network.isHeard).toBe(false);
    expect(listener.onClose).not.toHaveBeenCalled();
    expect(souk.supabase.getChannels()).toEqual([]);
  });
});
