import { describe, expect, it } from "vitest";
import { call, marketplaceWish, must, openBazaar, register, supabaseAs } from "./souk.js";

describe("marketplaces", () => {
  it("are created as drafts by admins, and answered whole with their address", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const wish = marketplaceWish({ domain: `Shop-${Date.now()}.Example.COM` });
    const made = await call("POST", "/api/marketplaces", { as: operator, body: wish });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...wish,
      domain: wish.domain.toLowerCase(),
      status: "draft",
      tenant_id: operator.tenantId,
    });
    expect(made.headers.get("location")).toBe(`/functions/v1/marketplaces/${made.body.id}`);
    for (const path of ["/api/marketplaces", "/marketplaces"]) {
      expect(await must("GET", `${path}/${made.body.id}`, { as: operator })).toEqual(made.body);
      const list = await must("GET", path, { as: operator });
      expect(list).toEqual({ marketplaces: [made.body], total: 1, page: 1, limit: 100 });
    }
  });

  it("move between states along the table of moves only, through every door", async () => {
    const { operator, marketplace } = await openBazaar();
    const refused = await call("PUT", `/marketplaces/${marketplace.id}`, {
      as: operator,
      body: { status: "draft" },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.error).toMatchObject({
      code: "INVALID_TRANSITION",
      details: { field: "status", value: "draft" },
    });
    const direct = await supabaseAs(operator)
      .from("marketplaces")
      .update({ status: "draft" })
      .eq("id", marketplace.id);
    expect(direct.status).toBe(422);
    expect(direct.error?.message).toBe("INVALID_TRANSITION");
    for (const status of ["inactive", "suspended", "active"]) {
      const moved = await must("PUT", `/marketplaces/${marketplace.id}`, {
        as: operator,
        body: { status },
      });
      expect(moved.status).toBe(status);
    }
  });
});
