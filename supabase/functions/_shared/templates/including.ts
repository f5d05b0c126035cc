import { element } from "../content/html.ts";
import { joinTemplates } from "./inheritance.ts";
import { TemplateLimit, TemplateMistake } from "./mistakes.ts";
import type { Rendering } from "./rendering.ts";
import { scopedStyles } from "./scoped_styles.ts";
import { sectionsHtml } from "./sections.ts";
import { readSources, SOURCES_AT_MOST } from "./sources.ts";
import type { TemplateContent } from "./template.ts";
import { takeVariables } from "./variables.ts";

const INCLUDES_DEEP = 10;

/**
 * A template that another includes, as HTML. It sees what that one sees; variables and bindings of its own are added where
 * that one has none of their names. Errors: TemplateMistake where it is gone, TemplateLimit.
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
  const { values } = takeVariables(content.variables ?? [], {});
  const known = { ...values, ...scope };
  return { ...known, ...(await bound(content, { ...rendering, scope: known })) };
}

/** What the bindings of a template bind; of a name that is bound already nothing is read. Errors: TemplateLimit. */
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
