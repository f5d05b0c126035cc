import { element } from "../content/html.ts";
import { blocksHtml } from "./blocks.ts";
import { isShown } from "./conditions.ts";
import type { Rendering } from "./rendering.ts";
import { hidingClasses, responsiveStyles } from "./responsive.ts";
import type { Section } from "./template.ts";

/** A rendered section. */
export interface ShownSection {
  id: string;
  html: string;
  /** Whether it has nothing but header, footer or nav elements. Then it is not part of `main`. */
  frames: boolean;
}

/** Renders the sections by `order`, then by position. Errors: TemplateMistake, TemplateLimit. */
export async function sectionsHtml(
  sections: readonly Section[],
  rendering: Rendering,
): Promise<{ html: string; shown: ShownSection[] }> {
  const shown: ShownSection[] = [];
  const sequence = sections.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  for (const section of sequence) {
    if (!isShown(section.conditions, rendering.scope)) continue;
    const one = await sectionHtml(section, rendering);
    if (one) shown.push(one);
  }
  return { html: shown.map(({ html }) => html).join(""), shown };
}

const FRAMES = new Set(["header", "footer", "nav"]);

async function sectionHtml(
  section: Section,
  rendering: Rendering,
): Promise<ShownSection | undefined> {
  const { place, styles } = rendering;
  const { id, blocks, responsive } = section;
  // Errors in an included template name the section of the page that includes it.
  const around = place.section;
  place.section ??= id;
  try {
    const inner = await blocksHtml(blocks, rendering);
    if (inner === "") return undefined;
    const className = `souk-s-${id}`;
    const own = responsiveStyles(className, responsive);
    if (own) styles.set(className, own);
    const classes = ["souk-section", className, ...hidingClasses(responsive)];
    return {
      id,
      html: element("div", { class: classes.join(" ") }, inner),
      frames: blocks.every(({ settings }) => FRAMES.has(settings?.element ?? "")),
    };
  } finally {
    place.section = around;
  }
}
