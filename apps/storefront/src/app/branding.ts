import type { Storefront } from "@souk/client";
import { styleSheet } from "../ui/style-sheet";

/** Applies the colours, the icon, the title and the styles of the marketplace. */
export function showBranding({ name, branding, seo }: Storefront): void {
  const { style } = document.documentElement;
  const primary = branding.colors?.primary;
  if (primary) {
    style.setProperty("--accent", primary);
    style.setProperty("--on-accent", isLight(primary) ? "#000" : "#fff");
  }
  document.title = seo.title ?? name;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon && branding.favicon_url) icon.href = branding.favicon_url;
  if (branding.custom_css) styleSheet(branding.custom_css);
}

/** Whether black is easier to read than white on a colour such as `#b5651d`. */
function isLight(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((i) => Number.parseInt(colour.slice(i, i + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
