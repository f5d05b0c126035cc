// Measures how fast the storefront shows its pages on a mid-range phone, with the settings of
// Lighthouse: a processor slowed down four times, and the network "slow 4G" (150 ms, 1.6 Mbit/s). A
// new visitor with an empty cache opens each page of the demo's marketplace. Needs Chromium, and
// the ports of `npm start`. Fails if a limit is exceeded.
import { chromium, type Page } from "playwright-core";
import { startStack } from "../../packages/stack/src/start.js";

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
  console.log("page     largest paint, ms  layout shift  JavaScript, kB");
  for (const [name, path] of Object.entries(PAGES)) {
    await measure(path); // Warm-up: the first request starts functions.
    const runs: Measured[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await measure(path));
    const paint = middle(runs.map((run) => run.paint));
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
} finally {
  await browser.close();
  await stack.close();
}
if (failed) {
  console.error(`exceeds ${LIMITS.paint} ms, ${LIMITS.shift} or ${LIMITS.scripts / 1000} kB`);
  process.exitCode = 1;
}

async function measure(path: string): Promise<Measured> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
  });
  // Guests of one address are limited to 30 in an hour.
  await stack.db.query("delete from private.guest_counts");
  const page = await context.newPage();
  const phone = await context.newCDPSession(page);
  await phone.send("Network.enable");
  await phone.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
  await phone.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript(observe);
  await page.goto(`${stack.storefrontUrl}${path}`);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle");
  const measured = await read(page);
  await context.close();
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

function middle(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
}
