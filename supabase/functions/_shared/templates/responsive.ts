import { declarationsOf } from "../liquid/html/styles.ts";
import type { Device, ResponsiveRule } from "./template.ts";

/** The media query of each device. Each width belongs to exactly one. */
const WIDTHS: Record<Device, string> = {
  mobile: "(max-width: 767.98px)",
  tablet: "(min-width: 768px) and (max-width: 1279.98px)",
  desktop: "(min-width: 1280px)",
};

export const DEVICES = Object.keys(WIDTHS) as Device[];

/** The styles of the classes that hide an element on a device. */
export const hidingStyles = DEVICES.map(
  (device) => `@media ${WIDTHS[device]}{.souk-hide-${device}{display:none!important}}`,
).join("");

/** The classes that hide an element: on devices of `hide_on`, and on devices that `show_on` does not list. */
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
 * The styles of responsive rules for a class, each in the media query of its breakpoint. Errors: TemplateMistake if a
 * property or value is not allowed.
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
