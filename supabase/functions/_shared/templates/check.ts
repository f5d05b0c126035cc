import {
  compileFormula,
  compileHtml,
  compilePlain,
  compileTransformation,
  compileUrl,
} from "../liquid/engine.ts";
import { checkStyles } from "../liquid/html/styles.ts";
import { TemplateLimit, TemplateMistake } from "../liquid/mistakes.ts";
import { isObject } from "../values/depth.ts";
import { compilePattern } from "./pattern.ts";
import { apiPath, databasePath } from "./reaching.ts";
import { responsiveStyles } from "./responsive.ts";
import { compileStatic } from "./static_html.ts";
import type {
  Binding,
  Block,
  Component,
  Override,
  ResponsiveRule,
  Section,
  TemplateContent,
  Variable,
} from "./template.ts";

/**
 * Checks that all texts of a template can be rendered safely. Errors: TemplateMistake, with the ids of the section and the
 * block.
 */
export function checkContent(content: TemplateContent): void {
  checkStyles(content.styles ?? "");
  for (const variable of content.variables ?? []) checkVariable(variable);
  for (const binding of content.bindings ?? []) checkBinding(binding);
  for (const section of content.sections ?? []) checkSection(section);
  const { extensions, overrides } = content.inheritance ?? {};
  for (const section of extensions ?? []) checkSection(section);
  for (const override of overrides ?? []) checkOverride(override);
}

/** The same for a component. Errors: TemplateMistake. */
export function checkComponent(component: Partial<Component>): void {
  const { content, styles, props, variants, responsive } = component;
  compileHtml(content ?? "");
  checkStyles(styles ?? "");
  for (const prop of props ?? []) checkVariable(prop);
  for (const variant of variants ?? []) {
    if (typeof variant.content === "string") compileHtml(variant.content);
    checkStyles(variant.styles ?? "");
  }
  checkResponsive(responsive);
}

/** Runs a check, and adds this place to its mistake, unless the mistake has a more exact one. */
function at(place: { section?: string; block?: string }, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof TemplateMistake || error instanceof TemplateLimit) {
      error.section ??= place.section;
      error.block ??= place.block;
    }
    throw error;
  }
}

function checkVariable({ name, validation }: Variable): void {
  if (typeof validation?.pattern === "string")
    of(name, () => compilePattern(validation.pattern as string));
}

/** Runs a check, and adds a name to the message of its mistake. */
function of(name: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof TemplateMistake) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

function checkBinding({ variable, source, transformation }: Binding): void {
  const { type, endpoint, query, formula } = source;
  of(variable, () => {
    if (transformation) compileTransformation(transformation);
    if (type === "computed") compileFormula(formula ?? "");
    if (type === "api") checkAddress(endpoint ?? "", apiPath);
    if (type === "database") checkAddress(query ?? "", databasePath);
  });
}

/** Stands for an unknown output in an address. Outputs are encoded, so that each is one part of a path or query. */
const ANY = "x";

/** Refuses an address that is not allowed with any values. The whole address is checked again when it is read. */
function checkAddress(text: string, pathOf: (address: string) => string | undefined): void {
  compileUrl(text);
  const sample = text.replace(/\{\{[\s\S]*?\}\}/g, ANY).replace(/\{%[\s\S]*?%\}/g, "");
  if (!text.includes("{%") && pathOf(sample) === undefined) {
    throw new TemplateMistake("A source cannot read this address.");
  }
}

function checkSection({ id, blocks, responsive }: Section): void {
  at({ section: id }, () => {
    checkResponsive(responsive);
    for (const block of blocks ?? []) checkBlock(block);
  });
}

function checkOverride({ block_id, content }: Override): void {
  at({ block: block_id }, () => {
    for (const block of Array.isArray(content) ? content : [content]) {
      if (isObject(block)) checkBlock(block as unknown as Block);
    }
  });
}

/** A block, or an override that extends one and may leave out its type. */
function checkBlock(block: Block): void {
  const { id, type, content } = block;
  at({ block: id }, () => {
    if (typeof content === "string") {
      if (type === "static_content") compileStatic(content);
      else compileHtml(content);
    } else if (isObject(content)) {
      for (const branch of [content.then, content.else]) {
        if (Array.isArray(branch)) for (const inner of branch) checkBlock(inner as Block);
      }
      for (const prop of Object.values(isObject(content.props) ? content.props : {})) {
        if (typeof prop === "string") compilePlain(prop);
      }
    }
  });
}

function checkResponsive(rules: readonly ResponsiveRule[] | null | undefined): void {
  responsiveStyles("x", rules);
}
