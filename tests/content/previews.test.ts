import { beforeAll, expect, it } from "vitest";
import { query } from "../database.js";
import { call, expectRefusal, listProduct, must, register, supabaseAsService } from "../souk.js";
import { linked } from "./rich_texts.js";
import { elementsIn } from "./safe_html.js";
import {
  at,
  type Newsroom,
  openNewsroom,
  type Piece,
  publish,
  read,
  rpc,
  saved,
  words,
  write,
} from "./writing.js";

let room: Newsroom;
beforeAll(async () => {
  room = await openNewsroom();
});

const preview = (piece: Piece, body: object = {}) =>
  must("POST", at(piece, "/preview"), { as: room.editor, body });

const look = (piece: Piece, token: string, more = "") =>
  call("GET", at(piece, `?preview=${token}${more}`));

it("a preview token reads the draft without a session", async () => {
  const piece = await write(room.editor, {
    title: { en: "One", de: "Eins" },
    content: words("new"),
  });
  const { token, url, expires_at } = await preview(piece);
  expect(url).toBeNull();
  expect(token).toMatch(/^[\w-]{43}$/);
  const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23.9);
  expect(hours).toBeLessThan(24.1);
  for (const id of [piece.id, piece.slug]) {
    const answer = await look({ ...piece, id }, token);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: piece.id, is_draft: true, content: words("new") },
    });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
  }
  expect((await look(piece, token, "&language=de&format=html")).body).toMatchObject({
    title: "Eins",
    content: "<p>new</p>",
  });
  // The preview shows the current draft.
  await saved(room.editor, piece, { content: words("newer") });
  expect((await look(piece, token)).body).toMatchObject({ content: words("newer") });
  expect((await call("GET", at(piece, `?preview=${token}`), { as: room.customer })).status).toBe(
    200,
  );
});

it("a token reads only its own content, and only until it expires or is revoked", async () => {
  const [piece, other] = [await write(room.editor), await write(room.editor)];
  const { token } = await preview(piece);
  const second = await preview(piece);
  expect((await look(other, token)).status).toBe(404);
  expect((await look({ ...piece, type: "products" }, token)).status).toBe(404);
  // An empty parameter counts as not sent.
  expect((await look(piece, "")).status).toBe(401);
  for (const wrong of ["guessed", token.slice(1), `${token}x`, token.toUpperCase()]) {
    expectRefusal(await look(piece, wrong), 404, "NOT_FOUND");
  }
  for (const path of ["/versions", "/moves", "/branches", "/localizations/de"]) {
    expect((await call("GET", at(piece, `${path}?preview=${token}`))).status).toBe(401);
  }
  expect((await call("PUT", at(piece, `?preview=${token}`), { body: {} })).status).toBe(401);
  expect(
    (await rpc(room.customer, "preview_content", { type: piece.type, id: piece.id, token })).status,
  ).not.toBe(200);
  // Only the digest is stored, until the token expires.
  const kept = await query(
    "select p::text as row from private.content_previews p where content_id = $1",
    [piece.id],
  );
  expect(JSON.stringify(kept)).not.toContain(token);
  await query(
    "update private.content_previews set expires_at = now() where content_id = $1 and token_sha256 = sha256($2)",
    [piece.id, Buffer.from(token)],
  );
  expect((await look(piece, token)).status).toBe(404);
  expect((await look(piece, second.token)).status).toBe(200);
  await must("DELETE", at(piece, "/preview"), { as: room.editor });
  expect((await look(piece, second.token)).status).toBe(404);
});

it("callers who see the draft can create a preview, also of a branch", async () => {
  const page = await publish(room.operator, { content: words("out") });
  const body = { name: "next" };
  await must("POST", at(page, "/branches"), { as: room.editor, body });
  await saved(room.editor, page, { content: words("branch") }, "?branch=next");
  const { token } = await preview(page, { branch: "next" });
  expect((await look(page, token)).body).toMatchObject({ content: words("branch") });
  expect((await call("POST", at(page, "/preview"), { as: room.customer, body: {} })).status).toBe(
    404,
  );
  expect((await call("DELETE", at(page, "/preview"), { as: room.customer })).status).toBe(404);
  const nowhere = await call("POST", at(page, "/preview"), {
    as: room.editor,
    body: { branch: "none" },
  });
  expectRefusal(nowhere, 404, "NOT_FOUND", { field: "branch" });
  expect((await read(room.customer, page)).body).toMatchObject({ content: words("out") });
  await must("DELETE", at(page, "/branches/next"), { as: room.editor });
  expect((await look(page, token)).status).toBe(404);
});

it("a preview ends when its maker may not see the draft any more", async () => {
  const piece = await write(room.editor);
  const maker = await register({ tenant_id: room.tenantId });
  const give = (roles: object) =>
    supabaseAsService().from("members").update(roles).eq("user_id", maker.id).throwOnError();
  for (const had of [{ content_roles: ["reviewer"] }, { role: "admin" }]) {
    await give(had);
    const { token } = await must("POST", at(piece, "/preview"), { as: maker, body: {} });
    expect((await look(piece, token)).status).toBe(200);
    await give({ content_roles: [], role: "customer" });
    expectRefusal(await look(piece, token), 404, "NOT_FOUND");
  }
  // The supplier of a product sees the draft about it.
  const pot = await listProduct(room.supplier, { name: "Pot" });
  const about = await write(room.supplier, { type: "products", subject_id: pot.id });
  const { token } = await must("POST", at(about, "/preview"), { as: room.supplier, body: {} });
  expect((await look(about, token)).status).toBe(200);
});

it("a suspended member reads published content only by a preview", async () => {
  const piece = await publish(room.operator);
  const member = await register({ tenant_id: room.tenantId });
  expect((await read(member, piece)).status).toBe(200);
  const body = { status: "suspended" };
  await must("PATCH", `/api/members/${member.id}`, { as: room.operator, body });
  expectRefusal(await read(member, piece), 403, "FORBIDDEN");
  // Also before the database is asked.
  const wrong = await call("GET", at(piece, "?version=none"), { as: member });
  expectRefusal(wrong, 403, "FORBIDDEN");
  const { token } = await preview(piece);
  const looked = await call("GET", at(piece, `?preview=${token}`), { as: member });
  expect(looked.status).toBe(200);
});

it("the address of a preview follows settings.content.preview_url", async () => {
  const preview_url = "https://shop.example.com/{type}/{slug}?l={language}&preview={token}";
  const settings = (content: object) =>
    call("PATCH", "/api/tenant", { as: room.operator, body: { settings: { content } } });
  expect((await settings({ preview_url })).status).toBe(200);
  const piece = await write(room.editor);
  const { url, token } = await preview(piece, { language: "de" });
  expect(url).toBe(`https://shop.example.com/static_pages/${piece.slug}?l=de&preview=${token}`);
  for (const [changes, field] of [
    [{ preview_url: "javascript:alert(1)" }, "settings.content.preview_url"],
    [{ four_eyes: "yes" }, "settings.content.four_eyes"],
    [{ keep_versions: 0 }, "settings.content.keep_versions"],
    [{ keep_versions: 1.5 }, "settings.content.keep_versions"],
    [{ keep_versions: 1_000_000 }, "settings.content.keep_versions"],
    [{ unknown: 1 }, "settings.content.unknown"],
  ] as const) {
    expectRefusal(await settings(changes), 422, "VALIDATION_ERROR", { field });
  }
  const both = { preview_url: "nope", keep_versions: 999_999 };
  expectRefusal(await settings(both), 422, "VALIDATION_ERROR", {
    errors: [
      { field: "settings.content.keep_versions" },
      { field: "settings.content.preview_url" },
    ],
  });
});

it("a preview resolves links", async () => {
  const target = await publish(room.operator);
  const piece = await write(room.editor, {
    content: linked({ ref: { type: "static_pages", id: target.slug } }),
  });
  const { token } = await preview(piece);
  const { content } = (await look(piece, token, "&format=html")).body;
  expect(elementsIn(content, "a")).toMatchObject([{ href: `/static_pages/${target.slug}` }]);
});
