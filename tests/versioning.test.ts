import { readFile } from "node:fs/promises";
import { createRoute, z } from "@hono/zod-openapi";
import { describe, expect, it, vi } from "vitest";
import { answers } from "../supabase/functions/_shared/http/answers.ts";
import { createApp } from "../supabase/functions/_shared/http/app.ts";
import { authenticate } from "../supabase/functions/_shared/http/authenticate.ts";
import { deprecate, deprecateRoute } from "../supabase/functions/_shared/http/deprecation.ts";
import { createRoutes } from "../supabase/functions/_shared/http/door.ts";
import { call, must, register } from "./souk.js";

// What becomes obsolete goes on answering, and says that it is.

describe("something deprecated", () => {
  const gone = {
    since: "2026-11-21",
    sunset: "2028-01-01",
    instead: "Use /api/new.",
    successor: "/api/new",
  };

  /** An app with one operation and one parameter that are obsolete. */
  function appOf(middleware?: typeof authenticate) {
    const routes = createRoutes();
    routes.openapi(
      createRoute(
        deprecateRoute(
          {
            method: "get",
            path: "/",
            summary: "Old",
            description: "As it ever was.",
            ...(middleware && { middleware }),
            request: {
              query: z.object({
                old: deprecate(z.string(), { since: "2026-11-21", instead: "Use new." }).optional(),
              }),
            },
            responses: answers(200, z.object({}), "Nothing"),
          },
          gone,
        ),
      ),
      (c) => c.json({}, 200),
    );
    return createApp({ "/old": routes });
  }

  it("says so in the document, with what replaces it", () => {
    const { paths } = appOf().getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Old", version: "1" },
    });
    const operation = paths?.["/old"]?.get;
    expect(operation).toMatchObject({
      deprecated: true,
      description:
        "As it ever was. Deprecated since 2026-11-21. Use /api/new. Answers until 2028-01-01.",
    });
    expect(operation?.parameters).toEqual([
      expect.objectContaining({
        name: "old",
        schema: {
          type: "string",
          deprecated: true,
          description: "Deprecated since 2026-11-21. Use new.",
        },
      }),
    ]);
  });

  it("says so in its answers, refusals included", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const headers = {
      deprecation: "@1795219200",
      sunset: "Sat, 01 Jan 2028 00:00:00 GMT",
      link: '</functions/v1/api/new>; rel="successor-version"',
    };
    for (const [app, path, status] of [
      [appOf(), "/old", 200],
      [appOf(), "/old?old=1&old=2", 422],
      [appOf(authenticate), "/old", 401],
    ] as const) {
      const answer = await app.request(path);
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    }
    vi.restoreAllMocks();
  });

  it("is the event name payment.completed, which means payment.succeeded", async () => {
    const operator = await register({ tenant_name: "Old names" });
    const subscribe = (events: string[]) =>
      call("POST", "/api/webhooks", {
        as: operator,
        body: { url: "https://example.com/hook", events },
      });
    const old = await subscribe(["payment.completed"]);
    expect(old.status).toBe(201);
    expect(old.headers.get("deprecation")).toBe("@1795219200");
    expect(old.headers.has("sunset")).toBe(false);
    expect((await subscribe(["payment.succeeded"])).headers.has("deprecation")).toBe(false);
    const { components } = await must("GET", "/api/openapi.json");
    expect(components.schemas.NewWebhook.properties.events.items.anyOf).toContainEqual({
      type: "string",
      enum: ["payment.completed"],
      deprecated: true,
      description: "Deprecated since 2026-11-21. It means payment.succeeded: use that name.",
    });
  });
});

it("the document's version is the release's", async () => {
  const { info } = await must("GET", "/api/openapi.json");
  const release = JSON.parse(await readFile("package.json", "utf8"));
  expect(info.version).toBe(release.version);
});
