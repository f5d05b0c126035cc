import { beforeAll, expect, it } from "vitest";
import type { Newsroom } from "../content/writing.js";
import { query } from "../database.js";
import { call, expectRefusal, must, supabaseAs, supabaseAsService } from "../souk.js";
import { at, contentOf, make, openNewsroom, type Row, saved } from "./making.js";

let shop: Newsroom;
beforeAll(async () => {
  shop = await openNewsroom();
});

const preview = (template: Row, body: object = {}) =>
  must("POST", at(template, "/preview"), { as: shop.reviewer, body });

/** The inputs of a page without a session, as the function render reads them. */
async function look(template: Row, token: string, options: object = {}) {
  const args = { id_or_type: template.id, options: { ...options, preview: token } };
  return await supabaseAsService().rpc("template_inputs", args);
}

it("shows a version for 24 hours without a session", async () => {
  const draft = await make(shop.editor, { content: contentOf("one") });
  const { url, token, version, expires_at } = await preview(draft);
  expect(url).toMatch(
    new RegExp(`^http.*/functions/v1/api/templates/${draft.id}/render\\?preview=`),
  );
  expect(url).toContain(token);
  expect(version).toBe(1);
  const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThan(24.1);
  // The preview shows the same version after a save.
  await saved(shop.editor, draft, { content: contentOf("two") });
  const { data } = await look(draft, token);
  expect(data).toMatchObject({
    ...{ version: 1, role: "customer", content: draft.content, template: { id: draft.id } },
    marketplace: { id: shop.marketplace.id },
  });
  const second = await preview(draft, { version: 2 });
  expect((await look(draft, second.token)).data).toMatchObject({ version: 2 });
  const { body } = await call("POST", at(draft, "/preview"), {
    as: shop.editor,
    body: { version: 9 },
  });
  expect(body).toMatchObject({ error: { code: "NOT_FOUND" } });
  await must("DELETE", at(draft, "/preview"), { as: shop.editor });
  expect((await look(draft, token)).error).toMatchObject({ message: "NOT_FOUND" });
});

it("shows what a customer may see, and no other template", async () => {
  const [draft, other] = [await make(shop.editor), await make(shop.editor)];
  const { token } = await preview(draft);
  for (const wrong of ["guessed", `${token}x`, token.slice(1)]) {
    expect((await look(draft, wrong)).error).toMatchObject({ message: "NOT_FOUND" });
  }
  expect((await look(other, token)).error).toMatchObject({ message: "NOT_FOUND" });
  expect((await look({ id: "homepage" }, token)).error).toMatchObject({ message: "NOT_FOUND" });
  const list = (body: object) =>
    must("POST", "/api/products", { as: shop.supplier, body: { name: "Pot", price: 5, ...body } });
  const [pot, hidden] = [await list({}), await list({ status: "draft" })];
  expect((await look(draft, token, { product_id: pot.id })).data.product.id).toBe(pot.id);
  expect((await look(draft, token, { product_id: hidden.id })).error).toMatchObject({
    message: "NOT_FOUND",
  });
  const args = { id_or_type: draft.id, options: { preview: token } };
  // A member reads it with the own session. Without one and without a marketplace only the edge functions can.
  expect((await supabaseAs(shop.customer).rpc("template_inputs", args)).data).toMatchObject({
    version: 1,
  });
  expect((await supabaseAs().rpc("template_inputs", args)).error?.code).toBe("PT401");
  expect((await supabaseAsService().rpc("template_key", args)).data).toMatch(/^[0-9a-f]{64}$/);
});

it("is made by members with a content role, and stored as a digest", async () => {
  const template = await make(shop.operator);
  for (const as of [shop.customer, shop.supplier]) {
    const refused = await call("POST", at(template, "/preview"), { as, body: {} });
    expectRefusal(refused, 403, "FORBIDDEN");
  }
  const { token } = await preview(template);
  const kept = await query(
    "select p::text as row from private.template_previews p where template_id = $1",
    [template.id],
  );
  expect(JSON.stringify(kept)).not.toContain(token);
  await query(
    "update private.template_previews set expires_at = now() where token_sha256 = sha256($1)",
    [Buffer.from(token)],
  );
  expect((await look(template, token)).error).toMatchObject({ message: "NOT_FOUND" });
});
