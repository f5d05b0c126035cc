import { element } from "../content/html.ts";
import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { joinTemplates } from "./inheritance.ts";
import type { Rendering } from "./rendering.ts";
import { scopedStyles } from "./scoped_styles.ts";
import { sectionsHtml } from "./sections.ts";
import { readSources, SOURCES_AT_MOST } from "./sources.ts";
import type { TemplateContent } from "./template.ts";
import { takeVariables } from "./variables.ts";

const INCLUDES_DEEP = 10;

/**
 * Renders an included template. It can read the values of the including one. Its own variables and bindings are added if
 * their names are free. Errors: TemplateMistake if it does not exist; TemplateLimit.
 */
export async function includedHtml(id: string, rendering: Rendering): Promise<string> {
  const { inputs, depth, styles, page } = rendering;
  if (depth >= INCLUDES_DEEP) throw new TemplateLimit("depth", INCLUDES_DEEP);
  const included = Object.hasOwn(inputs.includes, id) ? inputs.includes[id] : undefined;
  if (!included) throw new TemplateMistake(`There is no template ${id}.`);
  const parents = included.parents.map(({ content }) => content);
  const { content, warnings } = joinTemplates(parents, included.content);
  for (const warning of warnings) page.warn(warning);
  const className = `souk-t-${id}`;
  if (!styles.has(className)) styles.set(className, scopedStyles(content.styles ?? "", className));
  const within = { ...rendering, depth: depth + 1, grids: `${id}/` };
  within.scope = await scopeWithin(content, within);
  const { html } = await sectionsHtml(content.sections ?? [], within);
  return element("div", { class: className }, html);
}

async function scopeWithin(content: TemplateContent, rendering: Rendering) {
  const { scope } = rendering;
  const { values } = takeVariables(content.variables ?? [], {}, rendering.patterns);
  const known = { ...values, ...scope };
  return { ...known, ...(await bound(content, { ...rendering, scope: known })) };
}

/** The values of the bindings of a template. Names that are bound already are skipped. Errors: TemplateLimit. */
export async function bound(
  { bindings }: TemplateContent,
  { scope, page, reach, sources, depth }: Rendering,
): Promise<Record<string, unknown>> {
  const own = (bindings ?? []).filter(
    ({ variable }) => depth === 0 || !Object.hasOwn(scope, variable),
  );
  sources.read += own.length;
  if (sources.read > SOURCES_AT_MOST) throw new TemplateLimit("sources", SOURCES_AT_MOST);
  return readSources(own, scope, page, reach);
}
