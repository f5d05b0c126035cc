// Makes the pictures of docs/console.md anew, of the demo's marketplace. Needs Chromium, and the ports of `npm start`.
import { mkdir } from "node:fs/promises";
import { chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { startStack } from "../packages/stack/src/start.js";

const CHROMIUM = process.env.SOUK_CHROMIUM ?? "/usr/bin/chromium";
const FOLDER = "docs/pictures";
/** No picture may be larger, in bytes. */
const LARGEST = 150_000;

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const stack = await startStack({ root: process.cwd(), place: "memory", console: true });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  await mkdir(FOLDER, { recursive: true });
  const desktop = await signIn(DESKTOP, "en", "light");
  await keep(desktop, "overview");
  await visit(desktop, "/orders");
  await keep(desktop, "orders");
  await desktop.locator(".row-link").nth(10).click();
  await desktop.waitForURL("**/orders/*");
  await keep(desktop, "order");
  await visit(desktop, "/products");
  await desktop.getByRole("link", { name: "Brass lantern" }).click();
  await desktop.waitForURL("**/products/*");
  await keep(desktop, "product");
  await keep(await signIn(PHONE, "ar", "dark"), "arabic");
} finally {
  await browser.close();
  await stack.close();
}

async function signIn(viewport: typeof DESKTOP, language: string, theme: string): Promise<Page> {
  const page = await browser.newPage({ viewport });
  await page.addInitScript(
    ([language, theme]) => {
      localStorage.setItem("souk.language", language);
      localStorage.setItem("souk.theme", theme);
    },
    [language, theme] as const,
  );
  await visit(page, "/");
  await page.locator("input[name=email]").fill("operator@demo.souk.test");
  await page.locator("input[name=password]").fill("demo-password");
  await page.keyboard.press("Enter");
  await page.locator(".plot svg").first().waitFor();
  await settle(page);
  return page;
}

async function visit(page: Page, path: string): Promise<void> {
  // The console is built beside the start.
  for (let status = 503; status === 503; ) {
    status = (await page.goto(`${stack.consoleUrl}${path}`))?.status() ?? 0;
  }
  await settle(page);
}

function settle(page: Page): Promise<void> {
  return page.waitForLoadState("networkidle");
}

/** Waits until the page and its pictures in sight are loaded, and keeps what it shows. */
async function keep(page: Page, name: string): Promise<void> {
  await page.locator("main h1").waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() =>
    [...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every((image) => image.complete && image.naturalWidth > 0),
  );
  const { size } = await sharp(await page.screenshot())
    .png({ palette: true, quality: 85, effort: 10 })
    .toFile(`${FOLDER}/console-${name}.png`);
  if (size > LARGEST) throw new Error(`the picture ${name} has ${size} bytes`);
  console.log(name, size);
}
