/** How many objects and lists may stand in one another in a body. */
const LEVELS = 10;
/** In a rich text, where each node takes two. */
export const RICH_TEXT_LEVELS = 40;

/** Whether a value that came as JSON is an object, and neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isNested(value) && !Array.isArray(value);
}

/** Whether more than so many objects and lists stand in one another; without recursion, since callers choose the depth. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    level = level.flatMap((outer) => Object.values(outer).filter(isNested));
  }
  return false;
}

/** Whether a body is nested deeper than any may be. */
export const isTooDeep = (body: object): boolean => isDeeperThan(LEVELS, body);

/**
 * The same for a body with blocks and rich texts in it: the levels of a block's `content` are counted anew, and so are
 * those of a rich text, of which there may be more.
 */
export const isTooDeepWithRichText = (body: object): boolean => isTooDeepAround(body, 1, 0);

/** How many blocks stand in one another at most, in what a body calls the content of a template. */
const BLOCKS_IN_ONE_ANOTHER = 9;

/** The same for a template, whose blocks hold blocks, and conditions an `expression`, which is counted anew as well. */
export const isTooDeepForTemplate = (body: object): boolean =>
  isTooDeepAround(body, 1 + BLOCKS_IN_ONE_ANOTHER, 1);

/** How many contents, and expressions, in one another are counted anew. */
function isTooDeepAround(body: object, contents: number, expressions: number): boolean {
  const around = [{ value: body, levels: LEVELS, contents, expressions }];
  for (let next = around.pop(); next; next = around.pop()) {
    const { value, levels, contents, expressions } = next;
    if (levels === 0) return true;
    for (const [key, inner] of Object.entries(value)) {
      if (!isNested(inner)) continue;
      if (isObject(inner) && inner.type === "doc") {
        if (isDeeperThan(RICH_TEXT_LEVELS, inner)) return true;
      } else if (key === "content" && contents > 0) {
        around.push({ value: inner, levels: LEVELS, contents: contents - 1, expressions });
      } else if (key === "expression" && expressions > 0) {
        around.push({ value: inner, levels: LEVELS, contents: 0, expressions: 0 });
      } else {
        around.push({ value: inner, levels: levels - 1, contents, expressions });
      }
    }
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
