import { isObject } from "../values/depth.ts";
import type { Block, Override, Section, TemplateContent, Warning } from "./template.ts";

/** A template with everything that it inherits, and warnings for overrides that do not apply. */
export interface Joined {
  content: TemplateContent;
  warnings: Warning[];
}

/**
 * Merges the content of a template with its parents', which are listed nearest first. A child overrides blocks and adds
 * sections. Its layout, variables and bindings replace those of the same name. Styles are joined, the parents' first.
 */
export function joinTemplates(parents: readonly TemplateContent[], own: TemplateContent): Joined {
  const warnings: Warning[] = [];
  const content = [...parents.toReversed(), own].reduce((parent, child) =>
    over(parent, child, warnings),
  );
  return { content: { ...content, inheritance: null }, warnings };
}

function over(
  parent: TemplateContent,
  child: TemplateContent,
  warnings: Warning[],
): TemplateContent {
  const { overrides, extensions } = child.inheritance ?? {};
  let sections = parent.sections ?? [];
  for (const override of overrides ?? []) {
    const changed = changedSections(sections, override);
    if (changed) sections = changed;
    else {
      warnings.push({
        code: "BLOCK_NOT_FOUND",
        message: `No parent of this template has a block ${override.block_id}.`,
        block: override.block_id,
      });
    }
  }
  const added = [...(extensions ?? []), ...(child.sections ?? [])];
  return {
    layout: child.layout ?? parent.layout,
    sidebar: child.sidebar ?? parent.sidebar,
    sections: byKey(sections, added, ({ id }) => id),
    variables: byKey(parent.variables ?? [], child.variables ?? [], ({ name }) => name),
    bindings: byKey(parent.bindings ?? [], child.bindings ?? [], ({ variable }) => variable),
    styles: [parent.styles, child.styles].filter(Boolean).join("\n"),
  };
}

/** Joins two lists. An item of the second replaces the item of the first with the same name. */
function byKey<Thing>(
  first: readonly Thing[],
  second: readonly Thing[],
  keyOf: (thing: Thing) => string,
): Thing[] {
  const things = new Map(first.map((thing) => [keyOf(thing), thing]));
  for (const thing of second) things.set(keyOf(thing), thing);
  return [...things.values()];
}

/** The sections with a block changed, at any depth; undefined if none has the block. */
function changedSections(sections: readonly Section[], override: Override): Section[] | undefined {
  let isFound = false;
  const changed = sections.map((section) => {
    const blocks = changedBlocks(section.blocks, override);
    isFound ||= blocks !== undefined;
    return blocks ? { ...section, blocks } : section;
  });
  return isFound ? changed : undefined;
}

function changedBlocks(blocks: readonly Block[], override: Override): Block[] | undefined {
  let isFound = false;
  const changed = blocks.flatMap((block) => {
    if (block.id === override.block_id) {
      isFound = true;
      return applied(block, override);
    }
    const within = changedWithin(block, override);
    isFound ||= within !== undefined;
    return [within ?? block];
  });
  return isFound ? changed : undefined;
}

/** A conditional block with one of its inner blocks changed. */
function changedWithin(block: Block, override: Override): Block | undefined {
  if (block.type !== "conditional" || !isObject(block.content)) return undefined;
  const branches = ["then", "else"].flatMap((name) => {
    const blocks = isObject(block.content) && block.content[name];
    const changed = Array.isArray(blocks) ? changedBlocks(blocks as Block[], override) : undefined;
    return changed ? [[name, changed] as const] : [];
  });
  return branches.length > 0
    ? { ...block, content: { ...block.content, ...Object.fromEntries(branches) } }
    : undefined;
}

function applied(block: Block, { action, content }: Override): Block[] {
  const sent = (Array.isArray(content) ? content : [content]) as Block[];
  switch (action) {
    case "replace":
      return sent.slice(0, 1).map((one) => ({ ...one, id: one.id ?? block.id }));
    case "extend":
      return [{ ...(merged({ ...block }, content) as unknown as Block), id: block.id }];
    case "prepend":
      return [...sent, block];
    case "append":
      return [block, ...sent];
    default:
      return [block];
  }
}

/** Merges objects key by key. Other values are taken from the second. */
function merged(under: unknown, upper: unknown): unknown {
  if (!isObject(under) || !isObject(upper)) return upper;
  const keys = new Set([...Object.keys(under), ...Object.keys(upper)]);
  // fromEntries, because an assignment to "__proto__" makes no key.
  return Object.fromEntries(
    [...keys].map((key) => [
      key,
      Object.hasOwn(upper, key)
        ? merged(Object.hasOwn(under, key) ? under[key] : undefined, upper[key])
        : under[key],
    ]),
  );
}
