import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Bundle, MOST_BYTES, tooLarge, writeBundles } from "../../scripts/bundles.js";
import { exported, rowsOf } from "../exports/exporting.js";
import { mailTo } from "../mail/mailbox.js";
import { openPlace, type StackDatabase } from "../place.js";
import { call, listProduct, must, openTestTenant, useStack } from "../souk.js";
import { type RunningStack, startStack } from "../stack.js";
import { make, makeComponent } from "../templates/making.js";

// The edge functions as one file each, as they may be deployed. The project is outside of this repository, so that no
// package is found.

const CLI = resolve("node_modules/@supabase/cli-linux-x64/bin/supabase");

const root = mkdtempSync(join(tmpdir(), "souk-bundles-"));
let bundles: Bundle[];
beforeAll(async () => {
  bundles = await writeBundles(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("bundles", () => {
  it("are below the size that hosted accepts, and larger ones are refused", () => {
    expect(bundles.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["api", "auth", "export-dispatch", "mail-dispatch"]),
    );
    expect(tooLarge(bundles)).toEqual([]);
    const least = Math.min(...bundles.map(({ bytes }) => bytes));
    expect(tooLarge(bundles, least)).toHaveLength(bundles.length - 1);
    expect(tooLarge([{ ...(bundles[0] as Bundle), bytes: MOST_BYTES + 1 }])).toHaveLength(1);
  });

  it("come from sources without the globals of Node, which hosted gives to packages only", async () => {
    // A bundle has them, but the sources can be deployed, too.
    const args = ["lint", "--only=style/noRestrictedGlobals", "supabase/functions"];
    await promisify(execFile)(resolve("node_modules/.bin/biome"), args);
  });

  it("import nothing but modules of Node, and their settings name no import map", () => {
    const imports = bundles.flatMap((bundle) => bundle.imports);
    expect(imports.filter((path) => !path.startsWith("node:"))).toEqual([]);
    const settings = readFileSync(join(root, "supabase", "config.toml"), "utf8");
    expect(settings).not.toMatch(/^import_map/m);
    for (const { name } of bundles) {
      expect(settings).toContain(
        `[functions.${name}]\nentrypoint = "./functions/${name}/index.js"\nverify_jwt = false\n`,
      );
    }
  });
});

describe("the Deno of hosted projects", () => {
  let place: StackDatabase;
  let stack: RunningStack;
  beforeAll(async () => {
    for (const name of ["migrations", "seed.sql", "media"]) {
      symlinkSync(resolve("supabase", name), join(root, "supabase", name));
    }
    place = await openPlace();
    stack = await startStack(place.options, root);
    useStack(stack);
  });
  afterAll(async () => {
    useStack(undefined);
    await stack?.stop();
    await place?.drop();
  });

  it("starts every bundle", async () => {
    const answers = await Promise.all(
      bundles.map(async ({ name }) => {
        const { status } = await call("POST", `/${name}`, { body: {} });
        return { name, starts: status < 500 };
      }),
    );
    expect(answers).toEqual(bundles.map(({ name }) => ({ name, starts: true })));
    expect((await call("GET", "/api/openapi.json")).status).toBe(200);
  });

  it("writes exports with them, and sends their mails by SMTP", async () => {
    const { operator, supplier } = await openTestTenant();
    await listProduct(supplier, { name: "Astrolabe" });
    for (const format of ["csv", "xlsx", "json"]) {
      const made = await exported(operator, { type: "products", format });
      expect(await rowsOf(made)).toMatchObject([{ name: "Astrolabe" }]);
    }
    await exported(operator, { type: "products", email: operator.email });
    const mail = await mailTo(operator, operator.email, "export_ready");
    expect(mail.HTML).toContain("Products");
  });

  it("renders pages with them", async () => {
    const { operator, customer } = await openTestTenant();
    const component = await makeComponent(operator, {
      content: '<p class="card">{{ title }}</p>',
      props: [{ name: "title", type: "string" }],
      styles: ".card { color: teal }",
    });
    const block = {
      id: "card",
      type: "component",
      content: { component_id: component.id, props: { title: "Astrolabe" } },
    };
    const template = await make(operator, {
      content: { sections: [{ id: "top", blocks: [block] }] },
    });
    const path = `/api/templates/${template.id}/render`;
    const { html, css } = await must("GET", path, { as: customer });
    expect(html).toContain("Astrolabe");
    expect(css).toMatch(/color: ?teal/);
  });

  it.skipIf(!existsSync(CLI))(
    "is sent one file for each function by the Supabase CLI",
    async () => {
      const api = await openApi();
      const profile = join(root, "profile.yaml");
      writeFileSync(
        profile,
        `name: test\napi_url: ${api.url}\ndashboard_url: ${api.url}\nproject_host: 127.0.0.1\n`,
      );
      const args = ["functions", "deploy", "--use-api", "--remote=abcdefghijklmnopqrst", "--yes"];
      await promisify(execFile)(CLI, [...args, "--workdir", root, "--profile", profile], {
        env: { ...process.env, SUPABASE_ACCESS_TOKEN: `sbp_${"0".repeat(40)}` },
      });
      const wanted = bundles.map(({ name }) => ({
        entrypoint_path: `supabase/functions/${name}/index.js`,
        import_map_path: "",
        static_patterns: [],
        verify_jwt: false,
        name,
      }));
      expect(api.deployed.map(({ metadata }) => metadata)).toEqual(expect.arrayContaining(wanted));
      for (const { files, metadata } of api.deployed) {
        expect(files).toEqual([metadata.entrypoint_path]);
      }
    },
  );
});

/** A function as the Supabase CLI sends it: its settings, and the paths of its files. */
interface Deployed {
  // biome-ignore lint/suspicious/noExplicitAny: as the CLI sends it.
  metadata: any;
  files: string[];
}

/** Opens a server in place of Supabase's Management API, which accepts functions. */
async function openApi(): Promise<{ url: string; deployed: Deployed[] }> {
  const deployed: Deployed[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const send = (status: number, content: object) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(content));
    if (request.method === "GET") return send(200, request.url?.endsWith("/functions") ? [] : {});
    if (request.method === "PUT") return send(200, { functions: [] });
    const type = request.headers["content-type"] as string;
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    const metadata = JSON.parse(form.get("metadata") as string);
    deployed.push({ metadata, files: form.getAll("file").map((file) => (file as File).name) });
    const { name } = metadata;
    const made = { id: name, slug: name, name, status: "ACTIVE", version: 1 };
    return send(201, { ...made, created_at: 1, updated_at: 1 });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, deployed };
}
