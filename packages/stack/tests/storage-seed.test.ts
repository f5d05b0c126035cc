import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "./storage-stage.js";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage(
    `
      [storage.buckets.shop]
      public = true
      objects_path = "./files"
      [storage.buckets.pictures]
      file_size_limit = "1KB"
      allowed_mime_types = ["image/*"]
      objects_path = "./files"
      [storage.buckets."a/b"]`,
    undefined,
    {
      "supabase/files/care.txt": "as it came",
      "supabase/files/lamps/brass.svg": "<svg/>",
      "supabase/files/über.txt": "no key",
    },
  );
});
afterAll(() => stage.stop());

const read = (path: string) => stage.http(`/object/public/${path}`, { token: null });

async function upload(bucket: string, name: string, contentType: string, body = "x") {
  const { error } = await stage.admin.from(bucket).upload(name, body, { contentType });
  return error ? (error as { statusCode?: string }).statusCode : "taken";
}

it("creates the buckets of the config with their limits", async () => {
  expect(await upload("pictures", "a", "image/png")).toBe("taken");
  expect(await upload("pictures", "b", "image/png", "x".repeat(1025))).toBe("413");
  expect(await upload("pictures", "c", "text/plain")).toBe("415");
});

it("copies the files below objects_path, and reports what Storage refuses", async () => {
  const brass = await read("shop/lamps/brass.svg");
  expect(brass.headers.get("content-type")).toContain("image/svg+xml");
  expect(await brass.text()).toBe("<svg/>");
  expect((await stage.admin.from("pictures").list("lamps")).data).toHaveLength(1);
  expect((await stage.admin.from("pictures").exists("care.txt")).data).toBe(false);
  for (const line of [
    "left out [storage.buckets.a/b]: Bucket name invalid",
    `${join("files", "über.txt")}: Invalid key: über.txt`,
    `${join("files", "care.txt")}: mime type text/plain; charset=utf-8 is not supported`,
  ]) {
    expect(stage.lines).toContainEqual(expect.stringContaining(line));
  }
});

it("keeps changed objects at the next start, and the types of a bucket for which none are written", async () => {
  await stage.db.query(
    "insert into storage.buckets (id, name, allowed_mime_types) values ('films', 'films', array['video/mp4'])",
  );
  await stage.admin.from("shop").update("care.txt", "changed", { contentType: "text/plain" });
  await stage.admin.from("shop").remove(["lamps/brass.svg"]);
  await rm(join(stage.root, "supabase/files/lamps"), { recursive: true });
  await writeFile(join(stage.root, "supabase/files/new.txt"), "new");
  await writeFile(
    join(stage.root, "supabase/config.toml"),
    `
      [storage.buckets.shop]
      objects_path = "./files"
      [storage.buckets.films]
      public = true`,
  );
  await stage.restart();
  const shop = stage.admin.from("shop");
  expect(await (await shop.download("care.txt")).data?.text()).toBe("changed");
  expect(await (await shop.download("new.txt")).data?.text()).toBe("new");
  expect((await read("shop/care.txt")).status).toBe(400);
  expect(await upload("films", "a", "video/mp4")).toBe("taken");
  expect(await upload("films", "b", "image/png")).toBe("415");
  expect((await read("films/a")).status).toBe(200);
});
