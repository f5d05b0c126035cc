import { expect, it } from "vitest";
import { openTestTenant, stackInUse } from "../souk.js";
import { barriersOn, describePages, overflowOf, useBrowser, WIDTHS } from "./browser.js";

describePages("/api/docs", () => {
  const open = useBrowser();
  // Playwright does not find fields in XHTML by their labels.
  const address = (hash = "") => `${stackInUse().functions_url}/api/docs${hash}`;

  it("filters the operations by search words", async () => {
    const { page } = await open();
    await page.goto(address());
    const shown = () => page.locator("details[id]:visible").count();
    const all = await shown();
    await page.locator("header input[type=search]").fill("orders place");
    expect(await shown()).toBeLessThan(all);
    expect(await page.locator('details[id="orders.place"]').isVisible()).toBe(true);
    expect(await page.locator("section#webhooks").isVisible()).toBe(false);
    await page.locator("header input[type=search]").fill("");
    expect(await shown()).toBe(all);
  });

  it("opens the operation in the link's fragment", async () => {
    const { page } = await open();
    await page.goto(address("#auth.me"));
    const operation = page.locator('details[id="auth.me"]');
    await operation.getByRole("button", { name: "GET" }).waitFor();
    expect(await operation.getAttribute("open")).not.toBeNull();
  });

  it("sends requests with the given token, also a customer's", async () => {
    const { customer } = await openTestTenant();
    const { page, faults } = await open();
    await page.goto(address("#auth.me"));
    const operation = page.locator('details[id="auth.me"]');
    const answer = operation.locator("form pre");
    await operation.getByRole("button", { name: "GET" }).click();
    await answer.getByText("UNAUTHORIZED").waitFor();
    // Chromium logs the refusal, too.
    expect(faults.splice(0)).toHaveLength(2);

    await page.locator("header input[type=password]").fill(customer.token);
    await operation.getByRole("button", { name: "GET" }).click();
    await answer.getByText(customer.email).waitFor();
    expect(await answer.textContent()).toMatch(/^200\n.*"role": "customer"/s);
  });

  it("sends parameters and a body", async () => {
    const { operator } = await openTestTenant();
    const { page } = await open();
    await page.goto(address("#categories.create"));
    await page.locator("header input[type=password]").fill(operator.token);
    const operation = page.locator('details[id="categories.create"]');
    await operation.locator("form textarea").fill('{"name": "Lamps & Lanterns"}');
    await operation.getByRole("button", { name: "POST" }).click();
    const answer = operation.locator("form pre");
    await answer.getByText("Lamps & Lanterns").waitFor();
    expect(await answer.textContent()).toMatch(/^201\n/);
  });

  it.each([
    false,
    true,
  ])("has no accessibility problems and fits every width, dark: %s", async (dark) => {
    const { page } = await open({ dark });
    await page.goto(address("#orders.place"));
    await page.locator('details[id="orders.place"] form').waitFor();
    // Checking the whole page takes axe 20 s. Hidden operations look like the visible ones.
    await page.locator("header input[type=search]").fill("orders.");
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowOf(page), `${width} px`).toBe(0);
    }
    expect(await barriersOn(page)).toEqual([]);
  });
});
