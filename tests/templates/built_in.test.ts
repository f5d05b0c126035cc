import { mkdir, readFile, writeFile } from "node:fs/promises";
import axe from "axe-core";
import { JSDOM, VirtualConsole } from "jsdom";
import { expect, it } from "vitest";
import { builtIn } from "../../supabase/functions/_shared/templates/builtin/index.ts";
import { checkContent } from "../../supabase/functions/_shared/templates/check.ts";
import type { Rendered } from "../../supabase/functions/_shared/templates/render_page.ts";
import { renderPage } from "../../supabase/functions/_shared/templates/render_page.ts";
import { PAGE_TYPES, type PageType } from "../../supabase/functions/_shared/templates/template.ts";
import { readableOn } from "../../supabase/functions/_shared/values/colors.ts";
import { inputsOf, shopReach, variablesOf } from "./shop.js";

// Compares the built-in pages of a fixed shop with reviewed HTML. After an intended change, UPDATE_GOLDEN=1 writes the files
// again; review the difference.

const LANGUAGES = ["en", "de", "ar"];
const BYTES_AT_MOST = 50_000;

const pages = PAGE_TYPES.flatMap((type) => LANGUAGES.map((language) => [type, language] as const));
/** German pages have the same structure as English ones. */
const checkedPages = pages.filter(([, language]) => language !== "de");
const emptyPages = PAGE_TYPES.map((type) => [type] as const);

async function pageOf(type: PageType, language: string): Promise<Rendered> {
  const sent = { variables: variablesOf[type] };
  const { page } = await renderPage(inputsOf(type, language), sent, shopReach());
  return page;
}

/** The same for a shop without data. */
async function emptyPageOf(type: PageType): Promise<Rendered> {
  const inputs = inputsOf(type, "en", { product: null, category: null });
  const { page } = await renderPage(inputs, { variables: {} }, shopReach(true));
  return page;
}

/** The whole document, as a shop would make it. */
function documentOf({ html, css, head, language, rtl }: Rendered): string {
  const escaped = head.title.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html>
<html lang="${language}" dir="${rtl ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped}</title>
<style>
${css}
</style>
</head>
<body>
${html}
</body>
</html>
`;
}

/** The violations that axe finds in a page. Contrast is not checked, because jsdom does not lay out pages. */
async function findingsIn(page: Rendered): Promise<string[]> {
  const { window } = new JSDOM(documentOf({ ...page, css: "" }), {
    runScripts: "outside-only",
    virtualConsole: new VirtualConsole(),
  });
  window.eval(axe.source);
  const run = (window as unknown as { axe: typeof axe }).axe.run;
  const { violations } = await run(window.document, {
    rules: { "color-contrast": { enabled: false } },
  });
  window.close();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

it.each(emptyPages)("%s passes the checks of all templates", (type) => {
  const { content } = builtIn[type];
  expect(() => checkContent(content)).not.toThrow();
  expect(JSON.parse(JSON.stringify(content))).toEqual(content);
});

it.each(pages)("%s in %s renders the reviewed HTML, below 50 kB", async (type, language) => {
  const page = await pageOf(type, language);
  expect(page.warnings).toEqual([]);
  expect(Buffer.byteLength(page.html + page.css)).toBeLessThan(BYTES_AT_MOST);
  expect(page.html).not.toContain("shop.");
  const file = new URL(`golden/${type}.${language}.html`, import.meta.url);
  const text = `${documentOf(page)}<!--\n${JSON.stringify(page.head, null, 2)}\n-->\n`;
  if (process.env.UPDATE_GOLDEN) {
    await mkdir(new URL(".", file), { recursive: true });
    await writeFile(file, text);
  }
  expect(text).toBe(await readFile(file, "utf8"));
});

it.each(checkedPages)("%s in %s passes axe", async (type, language) => {
  expect(await findingsIn(await pageOf(type, language))).toEqual([]);
});

it.each(emptyPages)("%s passes axe without any data", async (type) => {
  const page = await emptyPageOf(type);
  expect(page.html.match(/<h1[\s>]/g)).toHaveLength(1);
  expect(await findingsIn(page)).toEqual([]);
});

it("text on brand colours is black or white, by contrast", () => {
  expect([readableOn("#ffff00"), readableOn("#0f766e"), readableOn("#000080")]).toEqual([
    "#000000",
    "#ffffff",
    "#ffffff",
  ]);
});
