import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { HtmlValidate } from "html-validate";
import { parse } from "parse5";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findDeno } from "../../packages/stack/src/functions/deno.js";
import {
  addCategory,
  listProduct,
  must,
  openTestTenant,
  stackInUse,
  type TestTenant,
} from "../souk.js";
import { buildServer, type StorefrontServer, startServer } from "../storefront-server.js";
import { barriersOn, describePages, overflowOf, useBrowser } from "./browser.js";

/** Maximum cumulative layout shift while a page loads. */
const LAYOUT_SHIFT = 0.05;

describePages("the storefront's server", () => {
  const openPage = useBrowser();
  const running: StorefrontServer[] = [];
  let built: string;
  let shop: TestTenant;
  let server: StorefrontServer;
  // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
  let lantern: any;
  let category: string;

  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), "souk-storefront-"));
    [shop] = await Promise.all([openTestTenant(), buildServer(built)]);
    const { operator, supplier, marketplace } = shop;
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: {
        description: "Things </script> made <!-- by hand.",
        settings: {
          branding: { colors: { primary: "#b5651d" }, hosts: ["pictures.example.com"] },
          business: { delivery: { methods: [{ key: "post", name: "Post", price: 4 }] } },
        },
      },
    });
    category = await addCategory(operator, "Lamps & lanterns");
    lantern = await listProduct(supplier, {
      name: "Brass lantern </script>",
      description: "<p>Hammered <b>brass</b></p><p>& glass, <script>x</script>5 &lt; 6 feet.</p>",
      category_id: category,
    });
    const legal = { name: "Atlas Crafts SARL", address: "7 Rue Talaa Kebira\nFez" };
    await must("PATCH", `/api/suppliers/${lantern.supplier_id}`, { as: operator, body: { legal } });
    server = await start(process.execPath);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await rm(built, { recursive: true, force: true });
  });

  /** Starts the built server for the shop of the test. */
  async function start(program: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
    const { url, publishable_key } = stackInUse();
    const started = await startServer(built, [program, ...args], {
      SOUK_URL: url,
      SOUK_PUBLISHABLE_KEY: publishable_key,
      SOUK_DOMAIN: shop.marketplace.domain,
      ...env,
    });
    running.push(started);
    return started;
  }

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { ...headers, connection: "close" } });

  it("shows home, category, product and seller without scripts", async () => {
    const { page } = await openPage({ width: 390, scripts: false });
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Brass lantern" }).waitFor();
    await page.locator("summary", { hasText: "Categories" }).click();
    await page.getByRole("navigation", { name: "Categories", exact: true }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Lamps & lanterns" }).click();
    await page.getByRole("heading", { name: "Lamps & lanterns" }).waitFor();
    await page.getByText("1 product", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Brass lantern" }).click();
    await page.getByRole("heading", { name: "Brass lantern </script>" }).waitFor();
    await page.locator("p b", { hasText: "brass" }).waitFor();
    await page.getByText("& glass, 5 < 6 feet.", { exact: true }).waitFor();
    const described = page.locator('meta[name="description"], meta[property="og:description"]');
    expect(await described.count()).toBe(2);
    for (const meta of await described.all()) {
      expect(await meta.getAttribute("content")).toBe("Hammered brass & glass, 5 < 6 feet.");
    }
    const data = await page.locator('script[type="application/ld+json"]').allTextContents();
    expect(data.join()).toContain("Hammered brass ");
    expect(data.join()).not.toMatch(/<b>|<p>/);
    await page.getByText("About the seller").click();
    await page.getByText("Atlas Crafts SARL").waitFor();
    await page.locator(".seller a").click();
    await page.getByRole("heading", { name: "Brass lantern" }).waitFor();
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole("combobox", { name: "Search" }).fill("lantern");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search?query=lantern");
    await page.getByText("1 product", { exact: true }).waitFor();
  });

  it("leads a crawler to every product, and makes no account for many visitors of one address", async () => {
    const { operator, supplier } = shop;
    const listed = await Promise.all(
      Array.from({ length: 30 }, (_, i) => listProduct(supplier, { name: `Clay cup ${i}` })),
    );
    // Each link leads to a page. A list shows 24 products.
    const found = await crawl(server.url);
    for (const { slug } of [...listed, lantern]) expect(found).toContain(`/products/${slug}`);
    const { total } = await must("GET", "/api/customers", { as: operator });
    await Promise.all(Array.from({ length: 40 }, () => get("/")));
    expect((await must("GET", "/api/customers", { as: operator })).total).toBe(total);
  });

  it("continues in the browser without asking again, and sells to a guest", async () => {
    const { page } = await openPage({ width: 390 });
    await page.addInitScript(() => {
      localStorage.setItem("souk.consent", "no");
      let moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) {
          moved += entry.value;
        }
        document.documentElement.dataset.moved = String(moved);
      }).observe({ type: "layout-shift", buffered: true });
    });
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/functions/v1/")) asked.push(request.url());
    });
    for (const path of [
      "/",
      `/categories/${category}`,
      `/sellers/${lantern.supplier_id}`,
      `/products/${lantern.id}`,
    ]) {
      await page.goto(server.url + path);
      await page.waitForLoadState("networkidle");
      expect.soft(asked.splice(0), path).toEqual([]);
      const moved = await page.evaluate(() => document.documentElement.dataset.moved ?? "0");
      expect.soft(Number(moved), path).toBeLessThanOrEqual(LAYOUT_SHIFT);
      expect.soft(await barriersOn(page), path).toEqual([]);
      expect.soft(await overflowOf(page), path).toBe(0);
      expect.soft(await page.locator("main, h1").count(), path).toBe(2);
    }

    await page.getByRole("combobox", { name: "Search" }).fill("lantern");
    await page.getByRole("option", { name: "Brass lantern" }).click();
    await page.getByRole("button", { name: "Add to the cart" }).click();
    await page.getByText("is in your cart").waitFor();
    await page.getByRole("link", { name: "Cart (1)" }).click();
    await page.getByRole("link", { name: "Go to checkout" }).click();
    await page.getByLabel("E-mail address").fill("gil@example.com");
    await page.getByLabel("Street and number").fill("1 Market Street");
    await page.getByLabel("Postal code").fill("30000");
    await page.getByLabel("City").fill("Fez");
    await page.getByRole("button", { name: "Order now" }).click();
    await page.getByRole("heading", { name: /^Order \d+/ }).waitFor();
    // A private page is rendered in the browser, with the guest's session.
    await page.reload();
    await page.getByRole("heading", { name: /^Order \d+/ }).waitFor();
  });

  it.each([
    { language: "en", dir: "ltr", categories: "Categories" },
    { language: "de", dir: "ltr", categories: "Kategorien" },
    { language: "ar", dir: "rtl", categories: "الفئات" },
  ] as const)("renders in the wanted language, $language", async ({
    language,
    dir,
    categories,
  }) => {
    const wanted: [string, Record<string, string>][] = [
      [`/?language=${language}`, { "accept-language": "en" }],
      ["/", { cookie: `a=b; souk.language=${language}` }],
      ["/", { "accept-language": `fr;q=0.9, ${language}-XX;q=0.8` }],
    ];
    for (const [path, headers] of wanted) {
      const answer = await get(path, headers);
      const html = await answer.text();
      expect(html).toContain(`<html lang="${language}" dir="${dir}">`);
      expect(html).toContain(`<summary>${categories}</summary>`);
      expect(answer.headers.get("vary")?.toLowerCase()).toContain("accept-language");
    }
    const { page } = await openPage({ width: 390 });
    await page.addInitScript(() => localStorage.setItem("souk.consent", "no"));
    await page.goto(`${server.url}/products/${lantern.id}?language=${language}`);
    await page.waitForLoadState("networkidle");
    expect(await page.evaluate(() => document.documentElement.dir)).toBe(dir);
    expect(await barriersOn(page)).toEqual([]);
  });

  it("sends the head of the API, valid HTML, and terms of schema.org", async () => {
    const site = `https://${shop.marketplace.domain}`;
    const pages = {
      home: "/",
      category: `/categories/${category}`,
      product: `/products/${lantern.slug}`,
      seller: `/sellers/${lantern.supplier_id}`,
      search: "/search?query=lantern",
      missing: "/nowhere",
    };
    const validator = new HtmlValidate({
      extends: ["html-validate:standard"],
      // HTML allows `>` in texts.
      rules: { "no-raw-characters": "off" },
    });
    const data: Record<string, JsonLd[]> = {};
    const sent = await Promise.all(
      Object.entries(pages).map(
        async ([name, path]) => [name, await (await get(path)).text()] as const,
      ),
    );
    const htmlOf = new Map(sent);
    for (const [name, html] of htmlOf) {
      const report = await validator.validateString(html);
      const problems = report.results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
      );
      expect.soft(problems, name).toEqual([]);
      data[name] = jsonLdIn(html);
    }
    const all = Object.values(data).flat();
    const wrong = { ...all[0], "@type": "WebSight" };
    expect(unknownTermsIn([...all, wrong])).toEqual([expect.stringContaining("WebSight")]);
    const types = Object.entries(data).map(([name, each]) => [
      name,
      each.map((one) => one["@type"]),
    ]);
    expect(Object.fromEntries(types)).toEqual({
      home: ["WebSite", "ItemList"],
      category: ["ItemList", "BreadcrumbList"],
      product: ["Product", "BreadcrumbList"],
      seller: [],
      search: [],
      missing: [],
    });
    const product = htmlOf.get("product");
    expect(product).toContain(`<link rel="canonical" href="${site}/products/${lantern.slug}"`);
    expect(product).toContain("<title>Brass lantern &lt;/script> – ");
    expect(product).toContain('<meta property="og:type" content="product"');
    for (const name of ["search", "missing"]) {
      expect(htmlOf.get(name)).toContain('name="robots" content="noindex"');
    }
  });

  it("leads from the id and a former slug of a product to its address, for good", async () => {
    const { supplier } = shop;
    const rug = await listProduct(supplier, { name: "Wool rug" });
    const body = { slug: "berber-rug" };
    await must("PUT", `/api/products/${rug.id}`, { as: supplier, body });
    for (const former of [rug.id, "wool-rug"]) {
      const path = `${server.url}/products/${former}?language=de`;
      const answer = await fetch(path, { redirect: "manual" });
      expect(answer.status).toBe(301);
      expect(answer.headers.get("location")).toBe("/products/berber-rug?language=de");
      expect(answer.headers.get("cache-control")).toBe("public, max-age=0, s-maxage=30");
    }
    expect((await get("/products/berber-rug")).status).toBe(200);
  });

  it("answers with the status of the page, and lets shared caches keep what is public", async () => {
    const missing = "00000000-0000-4000-8000-000000000000";
    const statuses = await Promise.all(
      [
        "/",
        `/products/${lantern.id}`,
        "/checkout",
        "/nowhere",
        "/products/nothing",
        `/products/${missing}`,
        `/categories/${missing}`,
        `/sellers/${missing}`,
        "/static_pages/nothing",
        "/assets/nothing.js",
      ].map(async (path) => (await get(path)).status),
    );
    expect(statuses).toEqual([200, 200, 200, 404, 404, 404, 404, 404, 404, 404]);
    const home = await get("/");
    expect(home.headers.get("cache-control")).toBe(
      "public, s-maxage=30, stale-while-revalidate=300",
    );
    const policy = home.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    const { origin } = new URL(stackInUse().url);
    const media = `'self' ${origin} pictures.example.com`;
    const directives = policy.split("; ");
    expect(directives).toContain(`img-src ${media} data: blob:`);
    expect(directives).toContain(`media-src ${media}`);
    expect(directives).toContain("frame-src pictures.example.com");
    expect(directives).toContain("script-src 'self'");
    expect(directives).toContain("form-action 'self' pictures.example.com");
    for (const path of ["/", "/checkout", "/nowhere", "/assets/nothing.js"]) {
      const { headers } = await get(path);
      expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
    }
    expect((await get("/nowhere")).headers.get("cache-control")).toBe("no-store");

    const closed = await start(process.execPath, [], { SOUK_DOMAIN: "closed.example.com" });
    expect((await fetch(closed.url)).status).toBe(404);
    const alone = await start(process.execPath, [], { SOUK_URL: "http://127.0.0.1:1" });
    expect((await fetch(alone.url)).status).toBe(503);
    expect((await fetch(`${alone.url}/robots.txt`)).status).toBe(503);
  });

  it("passes on robots.txt and the sitemap of the API", async () => {
    const { url } = stackInUse();
    for (const name of ["robots.txt", "sitemap.xml"]) {
      const direct = await fetch(`${url}/functions/v1/feeds/${shop.marketplace.domain}/${name}`);
      const passed = await get(`/${name}`);
      expect(passed.status).toBe(direct.status);
      expect(await passed.text()).toBe(await direct.text());
    }
  });

  it("runs on Deno", async () => {
    const deno = await start(findDeno(), ["run", "-A"]);
    const page = await fetch(`${deno.url}/products/${lantern.id}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<h1><bdi>Brass lantern &lt;/script></bdi></h1>");
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(deno.url)).text())?.[1];
    expect((await fetch(deno.url + script)).headers.get("content-type")).toContain("javascript");
  });
});

/** The paths to which the links of a site lead, as a crawler follows them. Each must exist. */
async function crawl(site: string): Promise<Set<string>> {
  const found = new Set(["/"]);
  for (const path of found) {
    const answer = await fetch(site + path, { headers: { connection: "close" } });
    expect.soft(answer.status, path).toBe(200);
    for (const [, href = ""] of (await answer.text()).matchAll(/<a [^>]*href="([^"#]+)"/g)) {
      const { origin, pathname, search } = new URL(href.replaceAll("&amp;", "&"), site);
      if (origin === site) found.add(pathname + search);
    }
  }
  return found;
}

interface JsonLd {
  "@type"?: string;
}

/** The JSON-LD in the head of a document. */
function jsonLdIn(html: string): JsonLd[] {
  // biome-ignore lint/suspicious/noExplicitAny: a node of parse5.
  const head = (parse(html) as any).childNodes[1].childNodes[0];
  return head.childNodes
    .filter((node: { attrs?: { value: string }[] }) =>
      node.attrs?.some(({ value }) => value === "application/ld+json"),
    )
    .map((node: { childNodes: { value: string }[] }) =>
      JSON.parse(node.childNodes[0]?.value ?? ""),
    );
}

/** The errors of JSON-LD as the types of schema.org see it: unknown types, properties and values. */
function unknownTermsIn(data: readonly JsonLd[]): string[] {
  const file = resolve("tests/browser/json-ld.ts");
  // The inputs of actions, `query-input`, are a notation of schema.org's page about actions.
  const known = (key: string, value: unknown) => (key.endsWith("-input") ? undefined : value);
  const constants = data.map(
    (each, i) => `export const data${i}: WithContext<Thing> = ${JSON.stringify(each, known)};`,
  );
  const text = ['import type { Thing, WithContext } from "schema-dts";', ...constants].join("\n");
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path === file
      ? ts.createSourceFile(path, text, ts.ScriptTarget.ESNext)
      : getSourceFile(path, ...rest);
  const program = ts.createProgram([file], options, host);
  return program
    .getSemanticDiagnostics()
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}
