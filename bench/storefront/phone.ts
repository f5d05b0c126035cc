import type { Browser, Page } from "playwright-core";
import type { Stack } from "../../packages/stack/src/start.js";

/**
 * Opens a page for a new visitor on a mid-range phone: a processor slowed down four times and the network of "slow 4G"
 * (150 ms, 1.6 Mbit/s), as Lighthouse has them.
 */
export async function openPhone(
  browser: Browser,
  stack: Stack,
): Promise<{ page: Page; close(): Promise<void> }> {
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
  return { page, close: () => context.close() };
}
