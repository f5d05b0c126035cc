import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { content } from "../../supabase/functions/_shared/content/routes.ts";
import { createApp } from "../../supabase/functions/_shared/http/app.ts";
import { createRoutes } from "../../supabase/functions/_shared/http/routes.ts";
import { until } from "../eventually.js";

// Work of a tenant that runs in turns, without a stack: the tests decide when each answer ends.

const SECRET = "a secret of at least thirty-two characters";

beforeAll(() => {
  vi.stubEnv("SUPABASE_URL", "http://127.0.0.1:9");
  vi.stubEnv("SUPABASE_SERVICE_ROLE_KEY", "key");
  vi.stubEnv("SUPABASE_ANON_KEY", "public key");
  vi.stubEnv("JWT_SECRET", SECRET);
  return () => vi.unstubAllEnvs();
});

/** The answers of the function `render`. */
let rendering: (body: string) => Promise<Response>;

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (String(input).endsWith("/render/documents")) return rendering(init?.body as string);
    const { requests } = JSON.parse(init?.body as string) as { requests: unknown[] };
    return Response.json(
      requests.map(() => ({ minute: "", resets_in: 60, allowed: 1000, counted: 1, member: true })),
    );
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The token of a new user in a tenant. */
const tokenIn = (tenant_id: string) =>
  new SignJWT({ sub: randomUUID(), aud: "authenticated", tenant_id })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(SECRET));

describe("a process", () => {
  /** An app with a list whose answers wait until they are released, and the lists that run. */
  function openLists() {
    const running: { tenant: string; release: () => void }[] = [];
    const routes = createRoutes();
    routes.get("/", async (c) => {
      const tenant = c.req.query("of") as string;
      await new Promise<void>((resolve) => running.push({ tenant, release: resolve }));
      return c.json({});
    });
    const app = createApp({ "/things": routes });
    const ids = { here: randomUUID(), there: randomUUID() };
    const list = async (tenant: keyof typeof ids, limit: number) => {
      const headers = { authorization: `Bearer ${await tokenIn(ids[tenant])}` };
      return app.request(`/things?of=${tenant}&limit=${limit}`, { headers });
    };
    return { list, running };
  }

  it("lets a tenant have two large answers at once, and the others wait", async () => {
    const { list, running } = openLists();
    const of = (tenant: string) => running.filter((one) => one.tenant === tenant);
    const large = Array.from({ length: 4 }, () => list("here", 101));
    await until(async () => of("here").length === 2, "two large answers");
    // Small answers, and those of another tenant, do not wait.
    const others = [list("here", 100), list("there", 1000)];
    await until(async () => running.length === 4, "the answers that do not wait");
    expect(of("here")).toHaveLength(3);
    let ended = 0;
    const read = [...large, ...others].map(async (one) => {
      const response = await one;
      await response.text();
      ended += 1;
      return response.status;
    });
    for (let released = 0; released < 6; released += 1) {
      await until(async () => running[released] !== undefined, "the next answer");
      // Those that run: not more than two large ones, and the two others.
      expect(running.length - ended).toBeLessThanOrEqual(4);
      running[released]?.release();
      await until(async () => ended > released, "the end of an answer");
    }
    expect(await Promise.all(read)).toEqual(Array(6).fill(200));
  });

  it("refuses a large answer for which too many wait, and says when to try again", async () => {
    const { list, running } = openLists();
    const large = Array.from({ length: 25 }, () => list("here", 200));
    const response = await Promise.race(large);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await response.json()).error.code).toBe("RATE_LIMITED");
    const statuses: number[] = [];
    const done = Promise.all(
      large.map(async (one) => {
        const answer = await one;
        statuses.push(answer.status);
        if (!answer.bodyUsed) await answer.text();
      }),
    );
    let released = 0;
    await until(async () => {
      for (; released < running.length; released += 1) running[released]?.release();
      return statuses.length === 25;
    }, "all answers");
    await done;
    expect(statuses.filter((status) => status === 200)).toHaveLength(22);
  });

  it("lets a tenant merge or compare one document at once, and leaves that to another function", async () => {
    const running: { work: string; release: () => void }[] = [];
    rendering = async (body) => {
      const { work } = JSON.parse(body);
      await new Promise<void>((resolve) => running.push({ work, release: resolve }));
      return Response.json(
        { error: { code: "CONFLICT", message: "", details: {} } },
        { status: 409 },
      );
    };
    const app = createApp({ "/api/content": content });
    const [here, there] = await Promise.all([tokenIn(randomUUID()), tokenIn(randomUUID())]);
    const piece = `/api/content/static_pages/${randomUUID()}`;
    const merge = async (token: string) =>
      app.request(`${piece}/merge`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ from: "other" }),
      });
    const compare = async (token: string) =>
      app.request(`${piece}/compare?from=1&to=2`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const first = merge(here);
    await until(async () => running.length === 1, "the first merge");
    const rest = [compare(here), merge(here), compare(there)];
    await until(async () => running.length === 2, "the comparison of the other tenant");
    let ended = 0;
    for (const one of [first, ...rest]) one.finally(() => ended++).catch(() => {});
    for (let released = 0; released < 4; released += 1) {
      await until(async () => running[released] !== undefined, "the next work");
      expect(running.length - ended).toBeLessThanOrEqual(2);
      running[released]?.release();
      await until(async () => ended > released, "the end of a work");
    }
    const answers = await Promise.all([first, ...rest]);
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(409));
    expect(running.map(({ work }) => work).toSorted()).toEqual([
      "compare",
      "compare",
      "merge",
      "merge",
    ]);
  });
});
