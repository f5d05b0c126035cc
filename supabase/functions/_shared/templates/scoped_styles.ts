import { CompiledCache } from "./compiled_cache.ts";
import { scopeStyles } from "./styles.ts";

/** What styles of so many characters come to is kept, together with them. */
const MOST_KEPT = 4 * 1024 * 1024;

const kept = new CompiledCache<string>(MOST_KEPT);

/**
 * Styles that reach nothing but what stands in an element of a class; once for the same styles, since reading them takes
 * longer than all else that a page does. Throws as scopeStyles does.
 */
export function scopedStyles(css: string, className: string): string {
  return kept.get(className, css, () => scopeStyles(css, className));
}
