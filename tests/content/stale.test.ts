import { expect, it } from "vitest";
import { must, openBazaar, supabaseAs } from "../souk.js";

// By rpc nothing is merged: what does not say which version it began from is as stale as what is.

it("is saved and merged by nobody who does not say on top of which version", async () => {
  const { operator } = await openBazaar();
  const page = await must("POST", "/api/content/static_pages", {
    as: operator,
    body: { title: { en: "Hours" } },
  });
  const db = supabaseAs(operator);
  const piece = { type: "static_pages", id: page.id };
  await db.rpc("create_content_branch", { ...piece, name: "new" }).throwOnError();
  const changes = { title: { en: "Ours" } };
  const document = { ...changes, slug: page.slug };
  const merge = { ...piece, from: "new", into: "main", document };
  for (const { error } of [
    await db.rpc("save_content", { ...piece, changes, version_number: null }),
    await db.rpc("save_content", { ...piece, changes, version_number: 9 }),
    await db.rpc("merge_content", { ...merge, from_version: null, into_version: 1 }),
    await db.rpc("merge_content", { ...merge, from_version: 1, into_version: null }),
  ]) {
    expect(error?.message).toBe("CONFLICT");
    expect(error?.details).toContain('"version_number": 1');
  }
  const { data } = await db.rpc("get_content", piece).throwOnError();
  expect(data).toMatchObject({ version_number: 1, title: { en: "Hours" } });
});

it("is not saved in a branch that there is not", async () => {
  const { operator } = await openBazaar();
  const { id } = await must("POST", "/api/content/static_pages", {
    as: operator,
    body: { title: { en: "Hours" } },
  });
  const changes = { title: { en: "Ours" } };
  const saved = { type: "static_pages", id, changes, version_number: 1, branch: "nowhere" };
  const { error } = await supabaseAs(operator).rpc("save_content", saved);
  expect(error?.message).toBe("NOT_FOUND");
});
