import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Addresses, makeProject, type Running, removeProject, run } from "./project.js";

let root: string;
let running: Running;
let addresses: Addresses;

beforeAll(async () => {
  root = await makeProject({
    "supabase/config.toml": `
      [storage.buckets.shop]
      public = true
      objects_path = "./files"
      [storage.buckets.pictures]
      file_size_limit = "1KB"
      allowed_mime_types = ["image/*"]
      [storage.buckets.films]
      public = true`,
    "supabase/migrations/20260101000000_films.sql": `
      insert into storage.buckets (id, name, allowed_mime_types) values ('films', 'films', array['video/mp4']);`,
    "supabase/files/care.txt": "as it came",
    "supabase/files/lamps/brass.svg": "<svg/>",
  });
  await start();
});
afterAll(async () => {
  running.process.kill("SIGKILL");
  await running.exited;
  await removeProject(root);
});

async function start(): Promise<void> {
  running = run(root, "start", "--json", "--port", "0");
  addresses = await running.ready();
}

const read = (name: string) => fetch(`${addresses.url}/storage/v1/object/public/shop/${name}`);

it("limits buckets as the config says, and otherwise as they were limited before", async () => {
  const upload = async (bucket: string, name: string, type: string, body = "x") => {
    const answer = await fetch(`${addresses.url}/storage/v1/object/${bucket}/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${addresses.service_role_key}`, "content-type": type },
      body,
    });
    return answer.ok ? "taken" : (await answer.json()).statusCode;
  };
  expect(await upload("pictures", "a", "image/png")).toBe("taken");
  expect(await upload("pictures", "b", "image/png", "x".repeat(1025))).toBe("413");
  expect(await upload("pictures", "c", "text/plain")).toBe("415");
  expect(await upload("films", "a", "video/mp4")).toBe("taken");
  expect(await upload("films", "b", "image/png")).toBe("415");
  const film = await fetch(`${addresses.url}/storage/v1/object/public/films/a`);
  expect(film.status).toBe(200);
});

it("brings the files below objects_path along, once, and leaves alone what has changed since", async () => {
  const brass = await read("lamps/brass.svg");
  expect(brass.headers.get("content-type")).toContain("image/svg+xml");
  expect(await brass.text()).toBe("<svg/>");
  const changed = await fetch(`${addresses.url}/storage/v1/object/shop/care.txt`, {
    method: "PUT",
    headers: { authorization: `Bearer ${addresses.service_role_key}` },
    body: "as it is now",
  });
  expect(changed.status).toBe(200);
  running.process.kill("SIGTERM");
  await once(running.process, "exit");

  await writeFile(join(root, "supabase/files/new.txt"), "new");
  await start();
  expect(await (await read("care.txt")).text()).toBe("as it is now");
  expect(await (await read("new.txt")).text()).toBe("new");
});
