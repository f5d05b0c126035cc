/** Largest depth of nested objects and lists in a body. */
const LEVELS = 10;
/** Largest depth inside a rich text, where each node takes two levels. */
export const RICH_TEXT_LEVELS = 40;

/** Whether a JSON value is an object, not a list and not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isNested(value) && !Array.isArray(value);
}

/** Whether a value nests more than `levels` objects and lists. It does not recurse, because callers choose the depth. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    level = level.flatMap((outer) => Object.values(outer).filter(isNested));
  }
  return false;
}

/** Whether a body is nested too deep. */
export const isTooDeep = (body: object): boolean => isDeeperThan(LEVELS, body);

/**
 * The same for a body with blocks and rich texts. The `content` of a block starts a new count of levels, and so does a
 * rich text, which may have more levels.
 */
export const isTooDeepWithRichText = (body: object): boolean => isTooDeepAround(body, 1, 0);

/** Largest number of nested blocks in a template, plus one for the template's own `content`. */
const TEMPLATE_CONTENTS = 10;

/** The same for a template. Its blocks contain blocks, and each `expression` of a condition also starts a new count. */
export const isTooDeepForTemplate = (body: object): boolean =>
  isTooDeepAround(body, TEMPLATE_CONTENTS, 1);

/** @param contents largest number of nested `content` that start a new count of levels
 *  @param expressions the same for `expression` */
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
