import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { call, must, register } from "../souk.js";

// Obsolete names continue to work, and are reported as deprecated.

describe("a deprecated name", () => {
  it("is payment.completed, an alias of payment.succeeded", async () => {
    const operator = await register({ tenant_name: "Old names" });
    const subscribe = (events: string[]) =>
      call("POST", "/api/webhooks", {
        as: operator,
        body: { url: "https://example.com/hook", events },
      });
    const old = await subscribe(["payment.completed"]);
    expect(old.status).toBe(201);
    expect(old.headers.get("deprecation")).toBe("@1795219200");
    expect((await subscribe(["payment.succeeded"])).headers.has("deprecation")).toBe(false);
    const { components } = await must("GET", "/api/openapi.json");
    expect(components.schemas.NewWebhook.properties.events.items.anyOf).toContainEqual({
      type: "string",
      enum: ["payment.completed"],
      deprecated: true,
      description:
        "Deprecated since 2026-11-21. Use payment.succeeded, which has the same meaning.",
    });
  });
});

it("the document's version is the release's", async () => {
  const { info } = await must("GET", "/api/openapi.json");
  const release = JSON.parse(await readFile("package.json", "utf8"));
  expect(info.version).toBe(release.version);
});
