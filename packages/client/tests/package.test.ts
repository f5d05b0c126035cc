// The package as npm would publish it: its files, and whether it works after installation.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build, transform } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDeno } from "../../stack/src/functions/deno.js";
import { openServer } from "./server.js";

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, "../../..");
const source = join(repository, "packages/client");

/** The lowest version of supabase-js in the range in package.json. */
const LOWEST = "supabase-js-lowest";

/** Selects the version of supabase-js for the project. */
async function useSupabase(name: string): Promise<void> {
  const link = join(project, "node_modules/@supabase/supabase-js");
  await rm(link, { force: true });
  await symlink(join(repository, "node_modules", name), link, "dir");
}

/** An empty project in another folder that has the package and its dependencies. */
let project: string;
let tarball: string;
let packed: string[];
let version: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "souk-client-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: source,
  });
  const [{ filename, files }] = JSON.parse(stdout);
  tarball = join(project, filename);
  packed = files.map(({ path }: { path: string }) => path);

  const modules = join(project, "node_modules");
  await mkdir(join(modules, "@souk/client"), { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(modules, "@souk/client")]);
  const { dependencies, ...about } = JSON.parse(
    await readFile(join(source, "package.json"), "utf8"),
  );
  version = about.version;
  for (const name of [...Object.keys(dependencies), "@types/node"]) {
    await mkdir(join(modules, name, ".."), { recursive: true });
    await symlink(join(repository, "node_modules", name), join(modules, name), "dir");
  }
  const shop = await readFile(join(import.meta.dirname, "shop.ts"), "utf8");
  await writeFile(
    join(project, "shop.ts"),
    shop
      .replace('"../src/index.js"', '"@souk/client"')
      .replace('"../src/verify-webhook.js"', '"@souk/client/webhooks"'),
  );
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", dependencies }));
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe("the package", () => {
  it("contains exactly the files to publish", () => {
    const strange = packed.filter((path) => !/^dist\/[\w.-]+\.(js|d\.ts)$/.test(path));
    expect(strange.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(packed).toContain("dist/index.js");
    expect(packed).toContain("dist/index.d.ts");
    expect(packed).toContain("dist/verify-webhook.js");
  });

  it("passes publint", async () => {
    const pkgDir = join(project, "node_modules/@souk/client");
    const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it("has types that resolve with ES modules", async () => {
    const analysis = await checkPackage(
      createPackageFromTarballData(new Uint8Array(await readFile(tarball))),
    );
    const problems = analysis.types ? analysis.problems : ["there are no types"];
    // It contains only ES modules: `require` and the resolution of Node 10 need not work.
    const meant = problems.filter(
      (problem) =>
        typeof problem === "string" ||
        !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(problem.resolutionKind)),
    );
    expect(meant).toEqual([]);
  });
});

describe("an installed package", () => {
  const answer = {
    orders: [{ id: "o1", total_amount: 179 }],
    total: 1,
    page: 1,
    limit: 100,
  };

  it.each([
    ["NodeNext", "@supabase/supabase-js"],
    ["Bundler", LOWEST],
  ])("type-checks with module resolution %s and %s", async (resolution, supabase) => {
    const module = resolution === "Bundler" ? "ESNext" : resolution;
    await useSupabase(supabase);
    await run(
      process.execPath,
      [
        join(repository, "node_modules/typescript/bin/tsc"),
        ...["--noEmit", "--strict", "--skipLibCheck", "--target", "ES2022"],
        ...["--lib", "ES2022,DOM,DOM.Iterable", "--types", "node"],
        ...["--module", module, "--moduleResolution", resolution, "shop.ts"],
      ],
      { cwd: project },
    ).catch(({ stdout }) => expect.fail(stdout));
  });

  it("runs in Node, with the lowest supabase-js that it allows", async () => {
    await useSupabase(LOWEST);
    const server = await openServer(() => ({ body: answer }));
    const { code } = await transform(await readFile(join(project, "shop.ts")), { loader: "ts" });
    await writeFile(join(project, "shop.js"), code);
    const { stdout } = await run(process.execPath, ["shop.js", server.url], { cwd: project });
    expect(stdout).toBe("o1 179\n");
    expect(server.asked[0]?.headers).toMatchObject({ apikey: "a-key" });
  });

  it("runs in Deno, which checks its types, by a name in deno.json", async () => {
    await useSupabase("@supabase/supabase-js");
    const imports = {
      "@souk/client": `npm:@souk/client@${version}`,
      "@souk/client/webhooks": `npm:@souk/client@${version}/webhooks`,
    };
    await writeFile(join(project, "deno.json"), JSON.stringify({ imports }));
    const server = await openServer(() => ({ body: answer }));
    const { stdout } = await run(
      // The TypeScript of hosted's Deno is too old for the types of @types/node.
      findDeno(undefined, "deno-newest"),
      [
        ...["run", "--check", "--node-modules-dir=manual", "--cached-only"],
        "--allow-net=127.0.0.1",
        ...["--allow-env", "--allow-read", "shop.ts", server.url],
      ],
      { cwd: project, env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } },
    );
    expect(stdout).toBe("o1 179\n");
  });

  it("runs in a browser, bundled", async () => {
    const server = await openServer(() => ({ body: answer }));
    const { outputFiles } = await build({
      entryPoints: [join(project, "shop.ts")],
      bundle: true,
      write: false,
      // Fails on any module of Node.
      platform: "browser",
      format: "iife",
      globalName: "shop",
      logLevel: "silent",
    });
    const printed: string[] = [];
    const page = {
      ...{ fetch, Request, Response, Headers, URL, URLSearchParams, AbortController, AbortSignal },
      ...{ setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, crypto },
      ...{ TextEncoder, TextDecoder, ReadableStream, Blob, FormData, atob, btoa },
      WebSocket: class {},
      console: { ...console, log: (line: string) => printed.push(line) },
    };
    const code = outputFiles?.[0]?.text ?? "";
    await runInNewContext(`${code}; shop.showOrders(${JSON.stringify(server.url)})`, page);
    expect(printed).toEqual(["o1 179"]);
  });
});

describe("a bundle without supabase-js", () => {
  it("has the size in the README, and is under 20 kB", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: 'export * from "@souk/client"',
        resolveDir: project,
      },
      bundle: true,
      minify: true,
      write: false,
      platform: "browser",
      format: "esm",
      external: ["@supabase/*"],
      // tus-js-client is a separate file, as it is loaded for large uploads only.
      splitting: true,
      outdir: join(project, "bundle"),
    });
    const kilobytes = gzipSync(outputFiles?.[0]?.contents ?? "").length / 1000;
    expect(kilobytes).toBeLessThan(20);
    const stated = /([\d.]+) kB/.exec(await readFile(join(source, "README.md"), "utf8"));
    expect(Math.ceil(kilobytes)).toBe(Number(stated?.[1]));
  });
});
