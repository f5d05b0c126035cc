// A request may name the tenant that it is meant for: the session of a browser is shared by its tabs, and one of them may
// have switched it to another tenant.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.js";
import { ownStack } from "../own-stack.js";
import { call, expectRefusal, openTestTenant, register } from "../souk.js";

it("is refused if the session is in another tenant", async () => {
  const { operator, tenantId } = await openTestTenant();
  const other = await register({ tenant_name: "Other" });
  const named = (tenant: string) => ({ as: operator, headers: { "x-souk-tenant": tenant } });
  for (const tenant of [tenantId, tenantId.toUpperCase()]) {
    expect((await call("GET", "/api/products", named(tenant))).status).toBe(200);
  }
  for (const tenant of [other.tenantId, randomUUID(), "nonsense"]) {
    const field = { field: "x-souk-tenant", value: tenant };
    for (const [method, path] of [
      ["GET", "/api/products"],
      ["PATCH", "/api/tenant"],
    ] as const) {
      expectRefusal(await call(method, path, named(tenant)), 409, "CONFLICT", field);
    }
  }
  // An account goes to a tenant by such a request.
  expect((await call("GET", "/auth/me", named(other.tenantId))).status).toBe(200);
});

it("is refused at /rest/v1 as well", async () => {
  const { operator, tenantId } = await openTestTenant();
  const ask = (tenant: string) =>
    fetch(`${ownStack.url}/rest/v1/marketplaces?select=id`, {
      headers: {
        apikey: ownStack.anon_key,
        authorization: `Bearer ${operator.token}`,
        "x-souk-tenant": tenant,
      },
    });
  expect((await ask(tenantId)).status).toBe(200);
  const refused = await ask(randomUUID());
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ message: "CONFLICT" });
});

it("is named by the client for every call", async () => {
  const { operator, tenantId } = await openTestTenant();
  let tenant: string | null = null;
  const souk = createClient(ownStack.url, ownStack.anon_key, {
    accessToken: async () => operator.token,
    tenant: () => tenant,
  });
  for (tenant of [null, tenantId]) {
    expect((await souk.tenant.get()).id).toBe(tenantId);
    expect((await souk.supabase.from("marketplaces").select("id")).error).toBeNull();
  }
  tenant = randomUUID();
  await expect(souk.tenant.get()).rejects.toMatchObject({
    code: "CONFLICT",
    field: "x-souk-tenant",
  });
  expect((await souk.supabase.from("marketplaces").select("id")).status).toBe(409);
});
