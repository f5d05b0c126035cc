import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CONSOLE } from "../src/apps/apps.js";
import { openApp } from "../src/apps/serve.js";
import { readConfig } from "../src/config.js";
import type { Log } from "../src/log.js";
import { storefrontPortOf } from "../src/places.js";
import { makeProject, removeProject } from "./project.js";

const api = { url: "http://127.0.0.1:54321", publishableKey: "sb_publishable_key" };

/** A fake bundler: builds one page and one file, and records that it ran. */
const BUNDLER = `
const { appendFileSync, mkdirSync, writeFileSync } = require("node:fs");
const folder = process.argv[process.argv.indexOf("--outDir") + 1];
appendFileSync("runs", "x");
mkdirSync(folder + "/assets", { recursive: true });
writeFileSync(folder + "/index.html", "<title>Console</title>");
writeFileSync(folder + "/config.json", '{"url": "built in", "domain": "a.example"}');
writeFileSync(folder + "/assets/main-1.js", "export {};");
`;

/** A project with a console, and a bundler with this text. */
async function projectWith(bundler: string): Promise<string> {
  const root = await makeProject({
    "apps/console/index.html": "<script src=main.ts></script>",
    "node_modules/vite/bin/vite.js": bundler,
    "node_modules/vite/package.json": '{"type": "commonjs"}',
  });
  onTestFinished(() => removeProject(root));
  return root;
}

async function open(root: string) {
  const logged: string[] = [];
  const note = (line: string) => void logged.push(line);
  const log: Log = { info: note, warn: note, error: note, of: () => log };
  const served = await openApp(CONSOLE, 0, root, api, log);
  onTestFinished(() => served.close());
  return { ...served, logged };
}

test("serves an app as soon as it is built, also a page that was requested before", async () => {
  const { url, prepare, logged } = await open(await projectWith(BUNDLER));
  const early = await fetch(`${url}/orders`);
  expect(early.status).toBe(503);
  expect(await early.text()).toContain("is being built");

  await prepare();
  expect(logged).toEqual([`ready at ${url}`]);
  for (const path of ["/", "/orders?status=pending"]) {
    const page = await fetch(url + path);
    expect(await page.text()).toBe("<title>Console</title>");
    expect(page.headers.get("content-security-policy")).toContain(
      "connect-src 'self' http://127.0.0.1:54321 ws://127.0.0.1:54321;",
    );
    expect(page.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'$/);
  }
  const script = await fetch(`${url}/assets/main-1.js`);
  expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect((await fetch(`${url}/assets/main-2.js`)).status).toBe(404);
  expect((await fetch(url, { method: "POST" })).status).toBe(405);
});

test("gives the app the URL of this stack's API, and keeps its other settings", async () => {
  const { url, prepare } = await open(await projectWith(BUNDLER));
  await prepare();
  expect(await (await fetch(`${url}/config.json`)).json()).toEqual({
    domain: "a.example",
    url: api.url,
    publishable_key: api.publishableKey,
  });
});

test("builds each version once, and keeps only the last one", async () => {
  const root = await projectWith(BUNDLER);
  const runs = () => readFile(join(root, "runs"), "utf8");
  for (let start = 0; start < 2; start += 1) await (await open(root)).prepare();
  expect(await runs()).toBe("x");

  await writeFile(join(root, "apps/console/index.html"), "<script src=other.ts></script>");
  await (await open(root)).prepare();
  expect(await runs()).toBe("xx");
  expect(await readdir(join(root, ".souk/console"))).toHaveLength(1);
});

test("logs the bundler's output when it fails, and keeps none of its files", async () => {
  const root = await projectWith('console.error("no such file: main.ts"); process.exit(1);');
  const { url, prepare, logged } = await open(root);
  await prepare();
  expect(logged).toEqual([expect.stringContaining("no such file: main.ts")]);
  const page = await fetch(url);
  expect(page.status).toBe(500);
  expect(await page.text()).toContain("no such file: main.ts");
  expect(await readdir(join(root, ".souk/console"))).toEqual([]);
});

test("serves the storefront at the address in mails of Auth, if that is on this machine", async () => {
  const portFor = async (siteUrl: string, port: number) => {
    const root = await makeProject({
      "supabase/config.toml": `[api]\nport = 54321\n[auth]\nsite_url = "${siteUrl}"`,
    });
    onTestFinished(() => removeProject(root));
    return storefrontPortOf(await readConfig(root), port);
  };
  expect(await portFor("http://127.0.0.1:54330", 54321)).toBe(54330);
  expect(await portFor("http://localhost", 54321)).toBe(80);
  expect(await portFor("http://127.0.0.1:54330", 0)).toBe(0);
  expect(await portFor("https://shop.example.com", 54321)).toBeNull();
});
