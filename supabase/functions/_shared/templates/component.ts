import { element } from "../content/html.ts";
import { compileFormula, compilePlain, evaluate, render } from "../liquid/engine.ts";
import { TemplateMistake } from "../liquid/mistakes.ts";
import { renderChecked } from "./foreign_addresses.ts";
import type { Rendering } from "./rendering.ts";
import { hidingClasses, responsiveStyles } from "./responsive.ts";
import { scopedStyles } from "./scoped_styles.ts";
import type { Component, ComponentUse, Variant } from "./template.ts";
import { takeVariables } from "./variables.ts";

/**
 * Renders a component. Its text can read its props only: the given values, then those of its variant, then the default
 * values. Errors: TemplateMistake if the component or variant does not exist, or a prop is not as declared.
 */
export async function componentHtml(use: ComponentUse, rendering: Rendering): Promise<string> {
  const { inputs, styles } = rendering;
  const component = Object.hasOwn(inputs.components, use.component_id)
    ? inputs.components[use.component_id]
    : undefined;
  if (!component) throw new TemplateMistake(`There is no component ${use.component_id}.`);
  const variant = variantOf(component, use.variant);
  const given = await givenProps(use.props ?? {}, rendering);
  const sent = { ...variant?.props, ...given };
  const { values, errors } = takeVariables(component.props ?? [], sent, rendering.patterns);
  const [wrong] = errors;
  if (wrong) {
    throw new TemplateMistake(`${component.name}: ${wrong.variable} ${wrong.message}.`);
  }
  const classes = classesOf(component, variant);
  addStyles(styles, component, variant);
  const html = await renderChecked(variant?.content ?? component.content, values, rendering);
  const hidden = hidingClasses(component.responsive);
  return element("div", { class: [...classes, ...hidden].join(" ") }, html);
}

function variantOf(component: Component, name: string | null | undefined): Variant | undefined {
  if (!name) return undefined;
  const variant = component.variants?.find((one) => one.name === name);
  if (!variant) throw new TemplateMistake(`${component.name} has no variant ${name}.`);
  return variant;
}

const OUTPUT_ALONE = /^\s*\{\{-?((?:(?!\{\{|\}\})[\s\S])*?)-?\}\}\s*$/;

/** The props that a block passes to a component. A text that is a single output gives its value, other texts are rendered. */
async function givenProps(
  props: Record<string, unknown>,
  { scope, page }: Rendering,
): Promise<Record<string, unknown>> {
  const given: [string, unknown][] = [];
  for (const [name, sent] of Object.entries(props)) {
    given.push([name, typeof sent === "string" ? await givenText(sent) : sent]);
  }
  return Object.fromEntries(given);

  async function givenText(text: string): Promise<unknown> {
    if (!/\{[{%]/.test(text)) return text;
    const formula = OUTPUT_ALONE.exec(text)?.[1];
    return formula === undefined
      ? render(compilePlain(text), scope, page)
      : ((await evaluate(compileFormula(formula.trim()), scope, page)) ?? null);
  }
}

/** The class that scopes the styles of a component, and the class of its variant. */
function classesOf({ id, variants }: Component, variant: Variant | undefined): string[] {
  const own = `souk-c-${id}`;
  return variant ? [own, `${own}-${variants?.indexOf(variant)}`] : [own];
}

/** Adds the styles of a component once per page. */
function addStyles(
  styles: Map<string, string>,
  component: Component,
  variant: Variant | undefined,
): void {
  const [own, ofVariant] = classesOf(component, variant) as [string, string?];
  if (!styles.has(own)) {
    styles.set(
      own,
      scopedStyles(component.styles ?? "", own) + responsiveStyles(own, component.responsive),
    );
  }
  if (ofVariant && variant?.styles && !styles.has(ofVariant)) {
    styles.set(ofVariant, scopedStyles(variant.styles, ofVariant));
  }
}
