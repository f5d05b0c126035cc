// Measures how fast the storefront shows its pages on a mid-range phone. A new visitor with an empty
// cache opens each page of the demo's marketplace; then carts in a marketplace of 10,000 products
// are measured. Needs Chromium, and the ports of `npm start`. Fails if a limit is exceeded.
// `--carts` measures only the carts. The pages are measured as a static page, and rendered on the server.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { startStack } from "../../packages/stack/src/start.js";
import { buildServer, startServer } from "../../tests/storefront-server.js";
import { median } from "../servers.js";
import { measureCarts } from "./carts.js";
import { openPhone } from "./phone.js";

const CHROMIUM = process.env.SOUK_CHROMIUM ?? "/usr/bin/chromium";
const PAGES = {
  home: "/",
  list: "/search",
  product: "/products/d0000000-0000-4000-8000-000000000011",
};
const RUNS = 5;
/**
 * Limits: largest contentful paint in ms, cumulative layout shift, and transferred JavaScript in
 * bytes.
 */
const LIMITS = { paint: 2500, shift: 0.05, scripts: 160_000 };

type Measured = typeof LIMITS;

const stack = await startStack({ root: process.cwd(), place: "memory", apps: true });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
let failed = false;
try {
  // The storefront is built after the stack has started.
  for (let status = 503; status === 503; ) {
    status = (await fetch(stack.storefrontUrl as string)).status;
    await new Promise((later) => setTimeout(later, 100));
  }
  if (!process.argv.includes("--carts")) {
    await measurePages("a static page", stack.storefrontUrl as string);
    await measureServer();
  }
  failed = !(await measureCarts(browser, stack)) || failed;
} finally {
  await browser.close();
  await stack.close();
}
if (failed) {
  console.error("A limit is exceeded.");
  process.exitCode = 1;
}

async function measureServer(): Promise<void> {
  const built = await mkdtemp(join(tmpdir(), "souk-storefront-"));
  await buildServer(built);
  const server = await startServer(built, [process.execPath], {
    SOUK_URL: stack.url,
    SOUK_PUBLISHABLE_KEY: stack.keys.publishableKey,
  });
  try {
    await measurePages("rendered on the server", server.url);
  } finally {
    await server.stop();
    await rm(built, { recursive: true });
  }
}

async function measurePages(title: string, url: string): Promise<void> {
  console.log(`\n${title}`);
  console.log("page     largest paint, ms  layout shift  JavaScript, kB");
  for (const [name, path] of Object.entries(PAGES)) {
    await measure(url + path); // Warm-up: the first request starts functions.
    const runs: Measured[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await measure(url + path));
    const paint = median(runs.map((run) => run.paint));
    const shift = Math.max(...runs.map((run) => run.shift));
    const scripts = Math.max(...runs.map((run) => run.scripts));
    console.log(
      name.padEnd(9) +
        String(Math.round(paint)).padStart(17) +
        shift.toFixed(3).padStart(14) +
        (scripts / 1000).toFixed(1).padStart(16),
    );
    failed ||= paint > LIMITS.paint || shift > LIMITS.shift || scripts > LIMITS.scripts;
  }
}

async function measure(address: string): Promise<Measured> {
  const { page, close } = await openPhone(browser, stack);
  await page.addInitScript(observe);
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle");
  const measured = await read(page);
  await close();
  return measured;
}

/** Runs in the page before all other scripts. */
function observe() {
  const seen = { paint: 0, shift: 0 };
  Object.assign(globalThis, { seen });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.paint = startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) {
      seen.shift += entry.value;
    }
  }).observe({ type: "layout-shift", buffered: true });
}

function read(page: Page): Promise<Measured> {
  return page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { paint: number; shift: number } };
    const scripts = (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith(".js"))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    return { ...seen, scripts };
  });
}
