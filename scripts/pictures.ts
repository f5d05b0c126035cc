// Takes the pictures in docs, of the demo's marketplace. Needs Chromium, and the ports of `npm
// start`.
import { mkdir } from "node:fs/promises";
import { chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { type Stack, startStack } from "../packages/stack/src/start.js";

const CHROMIUM = process.env.SOUK_CHROMIUM ?? "/usr/bin/chromium";
const FOLDER = "docs/pictures";
/** Maximum size of a picture, in bytes. */
const LARGEST = 150_000;

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface Camera {
  stack: Stack;
  /** Opens a page in a browser with `kept` in its local storage. */
  open(viewport: typeof DESKTOP, kept: Record<string, string>): Promise<Page>;
}

/** Starts a stack with the apps, takes the pictures, and stops everything. */
export async function makePictures(take: (camera: Camera) => Promise<void>): Promise<void> {
  const stack = await startStack({ root: process.cwd(), place: "memory", apps: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    await mkdir(FOLDER, { recursive: true });
    await take({
      stack,
      async open(viewport, kept) {
        const context = await browser.newContext({ viewport });
        const page = await context.newPage();
        await page.addInitScript((entries) => {
          for (const [name, value] of Object.entries(entries)) localStorage.setItem(name, value);
        }, kept);
        return page;
      },
    });
  } finally {
    await browser.close();
    await stack.close();
  }
}

/** Opens a page of an app. The app may still be building. */
export async function visit(page: Page, url: string): Promise<void> {
  for (let status = 503; status === 503; ) status = (await page.goto(url))?.status() ?? 0;
  await page.waitForLoadState("networkidle");
}

/** Waits until the page and its visible pictures are loaded, and saves a picture of it. */
export async function storePicture(page: Page, name: string): Promise<void> {
  await page.locator("main h1").waitFor();
  await page.locator(".loading, .waiting").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete && image.naturalWidth > 0),
  );
  const { size } = await sharp(await page.screenshot())
    .png({ palette: true, quality: 85, effort: 10 })
    .toFile(`${FOLDER}/${name}.png`);
  if (size > LARGEST) throw new Error(`the picture ${name} has ${size} bytes`);
  console.log(name, size);
}
