import type { Storefront } from "@souk/client";
import { styleSheet } from "../ui/style-sheet";

/** The styles of the marketplace: its colours, and its own rules. */
export function brandingStyles({ branding }: Storefront): string {
  const primary = branding.colors?.primary;
  const colours = primary
    ? `:root { --accent: ${primary}; --on-accent: ${isLight(primary) ? "#000" : "#fff"}; }`
    : "";
  return `${colours}${branding.custom_css ?? ""}`;
}

/** Applies the styles, the icon and the title of the marketplace. */
export function showBranding(marketplace: Storefront): void {
  const { name, branding, seo } = marketplace;
  document.title = seo.title ?? name;
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon && branding.favicon_url) icon.href = branding.favicon_url;
  styleSheet(brandingStyles(marketplace));
}

/** Whether black is easier to read than white on a colour such as `#b5651d`. */
function isLight(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((i) => Number.parseInt(colour.slice(i, i + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
