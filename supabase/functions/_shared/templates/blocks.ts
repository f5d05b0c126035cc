import { element } from "../content/html.ts";
import { render } from "../liquid/engine.ts";
import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { componentHtml } from "./component.ts";
import { holds } from "./conditions.ts";
import { renderChecked } from "./foreign_addresses.ts";
import type { Rendering } from "./rendering.ts";
import { compileStatic } from "./static_html.ts";
import type { Block, ComponentUse, Conditional, Widget } from "./template.ts";
import { widgetHtml } from "./widgets.ts";

const LEVELS = 8;

/** Renders blocks in their order. Errors: TemplateMistake in a required block, TemplateLimit. */
export async function blocksHtml(
  blocks: readonly Block[],
  rendering: Rendering,
  level = 1,
): Promise<string> {
  if (level > LEVELS)
    throw new TemplateMistake(`Blocks can be nested at most ${LEVELS} levels deep.`);
  let html = "";
  for (const block of blocks) html += await blockHtml(block, rendering, level);
  return html;
}

async function blockHtml(block: Block, rendering: Rendering, level: number): Promise<string> {
  if (!isFor(block, rendering.inputs.role)) return "";
  const { place } = rendering;
  const around = place.block;
  place.block = block.id;
  try {
    return framed(block, await innerHtml(block, rendering, level));
  } catch (error) {
    if (!(error instanceof TemplateMistake || error instanceof TemplateLimit)) throw error;
    // The mistake is in the innermost block.
    error.section ??= place.section;
    error.block ??= block.id;
    // Leaving out this block does not undo what the page has used of its limits.
    if (block.required || error instanceof TemplateLimit) throw error;
    rendering.page.warn({ code: "BLOCK_LEFT_OUT", message: error.message });
    return "";
  } finally {
    place.block = around;
  }
}

/** Whether a reader with this role sees a block. A block without roles is for all readers. */
function isFor({ permissions }: Block, role: string | null): boolean {
  const roles = permissions?.roles;
  return !roles || roles.length === 0 || (role !== null && roles.includes(role));
}

async function innerHtml(block: Block, rendering: Rendering, level: number): Promise<string> {
  const { page, scope, inputs } = rendering;
  switch (block.type) {
    case "static_content":
      return render(compileStatic(textOf(block)), {}, page);
    case "dynamic_content":
      return renderChecked(textOf(block), scope, rendering);
    case "component":
      return componentHtml(block.content as ComponentUse, rendering);
    case "include":
      return rendering.include((block.content as { template_id: string }).template_id, rendering);
    case "conditional": {
      const { expression, then, else: otherwise } = block.content as Conditional;
      const chosen = holds(expression, scope) ? then : otherwise;
      return blocksHtml(chosen ?? [], rendering, level + 1);
    }
    case "widget": {
      const html = widgetHtml(block.content as Widget, {
        asset: page.asset,
        products: inputs.products[rendering.grids + block.id] ?? [],
        locale: page.locale,
      });
      page.budget.written(html.length);
      return html;
    }
    default:
      throw new TemplateMistake("There is no such type of block.");
  }
}

function textOf({ content }: Block): string {
  if (typeof content === "string") return content;
  throw new TemplateMistake("The content of this block must be a text.");
}

const ELEMENTS = new Set(["div", "section", "article", "aside", "header", "footer", "nav", "main"]);

/** Puts the HTML of a block into its element. An empty block gets none. */
function framed({ settings, type }: Block, inner: string): string {
  if (inner.trim() === "") return "";
  const { element: name, class: classes, label } = settings ?? {};
  // A conditional block without settings has no element of its own.
  if (type === "conditional" && !name && !classes && !label) return inner;
  const chosen = name && ELEMENTS.has(name) ? name : "div";
  const named = ["souk-block", classes].filter(Boolean).join(" ");
  return element(chosen, { class: named, "aria-label": label ?? undefined }, inner);
}
