import { declarationsOf } from "./styles.ts";
import type { Device, ResponsiveRule } from "./template.ts";

/** Which widths are whose: three that meet, and share none. */
const WIDTHS: Record<Device, string> = {
  mobile: "(max-width: 767.98px)",
  tablet: "(min-width: 768px) and (max-width: 1279.98px)",
  desktop: "(min-width: 1280px)",
};

export const DEVICES = Object.keys(WIDTHS) as Device[];

/** The classes by which an element is hidden, each on its own device. */
export const hidingStyles = DEVICES.map(
  (device) => `@media ${WIDTHS[device]}{.souk-hide-${device}{display:none!important}}`,
).join("");

/** The classes of an element that these rules hide from devices: those that they hide it on, and those that they do not show it on. */
export function hidingClasses(rules: readonly ResponsiveRule[] | null | undefined): string[] {
  const hidden = new Set<Device>();
  for (const { visibility } of rules ?? []) {
    const { show_on, hide_on } = visibility ?? {};
    for (const device of DEVICES) {
      if (hide_on?.includes(device) || (show_on?.length && !show_on.includes(device))) {
        hidden.add(device);
      }
    }
  }
  return DEVICES.filter((device) => hidden.has(device)).map((device) => `souk-hide-${device}`);
}

/**
 * The rules' declarations for what has this class, each in the media query of its breakpoint. Errors: TemplateMistake
 * where a property or its value may not be set.
 */
export function responsiveStyles(
  className: string,
  rules: readonly ResponsiveRule[] | null | undefined,
): string {
  return (rules ?? [])
    .map(({ breakpoint, styles }) => {
      const declarations = styles ? declarationsOf(styles) : "";
      if (!declarations || !Object.hasOwn(WIDTHS, breakpoint)) return "";
      return `@media ${WIDTHS[breakpoint]}{.${className}{${declarations}}}`;
    })
    .join("");
}
