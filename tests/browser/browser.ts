import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import { PATIENCE_MS } from "../eventually.js";
import { type Person, stackInUse } from "../souk.js";

// Chromium for the browser tests. A page that logs an error, throws, or fails to load something fails its test.

/** Debian's Chromium without windows, which takes a third of the processor time, or the whole one. */
const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** SOUK_CHROMIUM sets another one. */
const CHROMIUM = process.env.SOUK_CHROMIUM ?? INSTALLED.find((path) => existsSync(path));

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const hasChromium = CHROMIUM !== undefined && existsSync(CHROMIUM);
if (!hasChromium) {
  console.warn(
    `SKIPPED: the tests of pages need Chromium, and there is none at ${CHROMIUM ?? INSTALLED.join(" or ")}: install ` +
      "Debian's package chromium-headless-shell, or name another one with SOUK_CHROMIUM",
  );
}

/** Like `describe`, for tests that need the browser. They are skipped without Chromium. */
export const describePages = describe.skipIf(!hasChromium);

/** The widths of a phone, a tablet and a desktop, in CSS pixels. */
export const WIDTHS = [360, 768, 1280] as const;

export interface PageOptions {
  /** Width of the viewport in CSS pixels. Default 1,280. */
  width?: number;
  /** Whether the user prefers dark colours. Default false. */
  dark?: boolean;
  /** Whether scripts run. Default true. */
  scripts?: boolean;
}

export interface Opened {
  page: Page;
  /** Errors on the console, uncaught errors and failed requests. Any that remain at the end fail the test. */
  faults: string[];
}

/**
 * Starts one Chromium for the tests of a `describePages` and stops it after them. The returned function opens a page
 * with a separate profile, which is closed after the test.
 */
export function useBrowser(): (options?: PageOptions) => Promise<Opened> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: FLAGS });
  });
  afterAll(() => browser?.close());

  return async ({ width = 1280, dark = false, scripts = true } = {}) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: dark ? "dark" : "light",
      javaScriptEnabled: scripts,
      // Otherwise axe would check colours during a transition.
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
    page.on("console", (message) => {
      // Chromium requests an icon that no page refers to.
      const isIcon = message.location().url.endsWith("/favicon.ico");
      if (message.type() === "error" && !isIcon) faults.push(`console: ${message.text()}`);
    });
    page.on("requestfailed", (request) => {
      // A page cancels its pending requests when it is left.
      if (request.failure()?.errorText === "net::ERR_ABORTED") return;
      faults.push(`${request.method()} ${request.url()}: ${request.failure()?.errorText}`);
    });
    page.on("response", (response) => {
      if (response.status() < 400) return;
      faults.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
    });
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    return { page, faults };
  };
}

/** Makes the console that a page shows somebody's, as if they had signed in before. The page opens anew then. */
export async function signInBefore(page: Page, person: Person): Promise<void> {
  const session = {
    access_token: person.token,
    refresh_token: person.refreshToken,
    token_type: "bearer",
    expires_in: 3600,
    expires_at: Math.floor(Date.now() / 1000) + 3600,
    user: { id: person.id },
  };
  const [host] = new URL(stackInUse().url).hostname.split(".");
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
    `sb-${host}-auth-token`,
    JSON.stringify(session),
  ] as const);
}

/**
 * The problems that axe-core finds on a page, or in the part that a selector selects, including contrast: rule and
 * elements.
 */
export async function barriersOn(page: Page, part = "html"): Promise<string[]> {
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (part) => (globalThis as unknown as { axe: typeof axe }).axe.run(part),
    part,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** The number of CSS pixels by which a page is wider than its viewport. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
