import { element } from "../content/html.ts";
import { hidingStyles } from "./responsive.ts";
import type { ShownSection } from "./sections.ts";
import type { Layout } from "./template.ts";

/** The class of the root element of a page. */
export const PAGE_CLASS = "souk-page";

/** The first styles of every page: the minimum for layouts, images and hidden parts. */
export const frameStyles = `.souk-page{box-sizing:border-box;min-block-size:100vh;overflow-wrap:break-word}\
.souk-page *,.souk-page ::before,.souk-page ::after{box-sizing:inherit}\
.souk-page img,.souk-page video{max-inline-size:100%;block-size:auto}\
.souk-layout-default>.souk-main>.souk-section,.souk-beside{max-inline-size:80rem;margin-inline:auto;padding-inline:1rem}\
@media (min-width: 1024px){.souk-beside{display:grid;gap:2rem;align-items:start}\
.souk-layout-sidebar_left .souk-beside{grid-template-columns:16rem minmax(0,1fr)}\
.souk-layout-sidebar_right .souk-beside{grid-template-columns:minmax(0,1fr) 16rem}}\
${hidingStyles}`;

const LAYOUTS = new Set<string>(["default", "full_width", "sidebar_left", "sidebar_right"]);

export interface Framing {
  layout: Layout | null | undefined;
  sidebar: readonly string[] | null | undefined;
  language: string;
  isRightToLeft: boolean;
}

/**
 * Puts the sections into the root element. Sections at the beginning and the end with nothing but header, footer or nav
 * stay outside of `main`. The others are inside, unless a block is `main` itself.
 */
export function framed(sections: readonly ShownSection[], framing: Framing): string {
  const { language, isRightToLeft } = framing;
  const layout = LAYOUTS.has(framing.layout ?? "") ? (framing.layout as Layout) : "default";
  const beside = new Set(layout.startsWith("sidebar_") ? framing.sidebar : []);
  const besides = sections.filter(({ id }) => beside.has(id));
  const others = sections.filter(({ id }) => !beside.has(id));
  const first = others.findIndex(({ frames }) => !frames);
  const last = others.findLastIndex(({ frames }) => !frames);
  const [before, within, after] =
    first === -1
      ? [others, [], []]
      : [others.slice(0, first), others.slice(first, last + 1), others.slice(last + 1)];
  const inner = joined(before) + mainOf(joined(within), joined(besides), layout) + joined(after);
  const classes = `${PAGE_CLASS} souk-layout-${layout}`;
  const direction = isRightToLeft ? "rtl" : "ltr";
  return element("div", { class: classes, lang: language, dir: direction }, inner);
}

const joined = (sections: readonly ShownSection[]) => sections.map(({ html }) => html).join("");

function mainOf(html: string, beside: string, layout: Layout): string {
  if (html === "" && beside === "") return "";
  const isMain = /<main[\s>]/.test(html);
  const main = element(
    isMain ? "div" : "main",
    { class: "souk-main", id: "souk-main", tabindex: "-1" },
    html,
  );
  if (beside === "") return main;
  const aside = element("aside", { class: "souk-sidebar" }, beside);
  return element(
    "div",
    { class: "souk-beside" },
    layout === "sidebar_left" ? aside + main : main + aside,
  );
}
