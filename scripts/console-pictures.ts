// Takes the pictures of docs/console.md.
import type { Page } from "playwright-core";
import { type Camera, DESKTOP, makePictures, PHONE, storePicture, visit } from "./pictures.js";

await makePictures(async (camera) => {
  const at = (path: string) => `${camera.stack.consoleUrl}${path}`;
  const desktop = await signIn(camera, DESKTOP, "en", "light");
  await storePicture(desktop, "console-overview");
  await visit(desktop, at("/orders"));
  await storePicture(desktop, "console-orders");
  await desktop.locator(".row-link").nth(10).click();
  await desktop.waitForURL("**/orders/*");
  await storePicture(desktop, "console-order");
  await visit(desktop, at("/products"));
  await desktop.getByRole("link", { name: "Brass lantern" }).click();
  await desktop.waitForURL("**/products/*");
  await storePicture(desktop, "console-product");
  await storePicture(await signIn(camera, PHONE, "ar", "dark"), "console-arabic");
});

async function signIn(
  { stack, open }: Camera,
  viewport: typeof DESKTOP,
  language: string,
  theme: string,
): Promise<Page> {
  const page = await open(viewport, { "souk.language": language, "souk.theme": theme });
  await visit(page, `${stack.consoleUrl}/`);
  await page.locator("input[name=email]").fill("operator@demo.souk.test");
  await page.locator("input[name=password]").fill("demo-password");
  await page.keyboard.press("Enter");
  await page.locator(".plot svg").first().waitFor();
  await page.waitForLoadState("networkidle");
  return page;
}
