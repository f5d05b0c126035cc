// Runs the examples of README.md and docs/*.md. Convention: every block fenced ```sh or ```ts is an example that works
// unchanged with a freshly started local stack. Examples that need Docker, a hosted project or a terminal are fenced
// ```console. Blocks that are only read are fenced ```json, ```sql, ```mermaid or ```text. Blocks fenced ```js or
// ```python are receivers of webhooks, which receivers.test.ts tests.
//
// The sh blocks of a page are one script. bash runs it in the repository's root if bash and a curl with --json are
// installed. Every curl must get a status below 400. Each ts block is a module. One process imports the modules of a
// page, one after the other. The guides in docs/guides have a separate project: see guides.test.ts.
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEMO_KEY } from "../../packages/stack/src/screen.js";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import {
  aimedAt,
  anchorsOf,
  blocksOf,
  fileOf,
  guides,
  hasShell,
  pages,
  run,
  runModule,
  STRICT_SHELL,
} from "./pages.js";

if (!hasShell) console.warn("SKIPPED: the sh examples need bash and curl 7.82 or newer");

const aimed = (code: string) => aimedAt(ownStack, code);

describe("the examples of", () => {
  // The folder is in the repository, so that the modules find its packages.
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join("tests", ".examples-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  // The guests of all pages come from one address, which may create 30 per hour.
  beforeEach(() => query("delete from private.guest_counts"));

  for (const page of pages.filter((page) => !guides.includes(page))) {
    const shell = blocksOf(page, "sh");
    if (shell.length > 0) {
      test.skipIf(!hasShell)(`${page}, sh`, async () => {
        const script = aimed(shell.map(({ code }) => code).join("\n"));
        await run("bash", ["-c", STRICT_SHELL + script]);
      });
    }
    const modules = blocksOf(page, "ts");
    if (modules.length > 0) {
      test(`${page}, ts`, async () => {
        const name = page.replaceAll(/\W/g, "-");
        const files = modules.map(({ line }) => `${name}-${line}.ts`);
        for (const [i, { code }] of modules.entries()) {
          await writeFile(join(folder, files[i] as string), aimed(code));
        }
        const all = join(folder, `${name}.ts`);
        await writeFile(all, files.map((file) => `await import("./${file}");\n`).join(""));
        await runModule(all);
      });
    }
  }

  test("the pages exist, and use known fences", () => {
    const known = [
      ...["console", "diff", "js", "json", "mermaid", "python", "sh", "sql", "text", "toml", "ts"],
    ];
    for (const page of pages) {
      const fences = [...readFileSync(page, "utf8").matchAll(/^```(.*)$/gm)].map(
        ([, name]) => name,
      );
      expect(fences.length % 2, page).toBe(0);
      for (const name of fences.filter((_, i) => i % 2 === 0)) expect(known, page).toContain(name);
    }
    expect(pages.flatMap((page) => blocksOf(page, "sh")).length).toBeGreaterThan(5);
    expect(pages.flatMap((page) => blocksOf(page, "ts")).length).toBeGreaterThan(5);
  });
});

describe("the pages", () => {
  test("link to files and headings that exist", () => {
    for (const page of [...pages, "CHANGELOG.md"]) {
      const links = readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g);
      for (const [link, path, anchor] of links) {
        const target = path ? join(dirname(page), path) : page;
        expect(existsSync(target), `${page}: ${link}`).toBe(true);
        if (anchor) expect(anchorsOf(target), `${page}: ${link}`).toContain(anchor);
      }
    }
  });

  test("name files that exist", () => {
    const named =
      /`((?:\.ci|bench|docs|monitoring|packages|scripts|supabase|tests)\/[\w./-]+)(?::\d+)?`/g;
    // Files that the reader creates: those of a guide, and those that a fresh clone lacks.
    const made = new Set([
      "packages/stack/tested.sha256",
      "supabase/functions/.env",
      ...pages.flatMap((page) => blocksOf(page).map(({ code }) => fileOf(code))),
    ]);
    for (const page of pages) {
      for (const [, path] of readFileSync(page, "utf8").matchAll(named)) {
        if (!made.has(path)) expect(existsSync(path as string), `${page}: ${path}`).toBe(true);
      }
    }
  });

  test("show the current output of the start", () => {
    const start = readFileSync("README.md", "utf8");
    const seed = readFileSync("supabase/seed.sql", "utf8");
    const logins = new Set(seed.match(/\w+@demo\.souk\.test/g));
    expect(logins.size).toBe(3);
    for (const login of logins) expect(start).toContain(`\n  ${login}\n`);
    for (const text of Object.values(DEMO_KEY)) expect(start).toContain(`\n  ${text}\n`);
  });

  test("name every dependency of every package", () => {
    const listed = readFileSync("docs/dependencies.md", "utf8");
    const workspaces: string[] = JSON.parse(readFileSync("package.json", "utf8")).workspaces;
    for (const path of [".", ...workspaces]) {
      const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
      const { dependencies, devDependencies, optionalDependencies } = manifest;
      for (const name of Object.keys({
        ...dependencies,
        ...devDependencies,
        ...optionalDependencies,
      })) {
        expect(listed, `${name} of ${path}`).toContain(`\`${name}\``);
      }
    }
  });
});
